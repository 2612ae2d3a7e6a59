//! A grid of mappings of loops to a GPU, measured: for tuning and judging cost models.
//!
//! A kernel is an affine nest (`benches/gpu/mappings/*.mlir`): parallel loops outside,
//! then loops that must stay in order. A mapping says which parallel loop runs along x, y
//! and z, the shape of a block, and how many iterations a thread does one after another
//! (`space`). Each becomes a kernel by the mechanics of schedules and the ordinary
//! passes behind them (`generate`), is launched, compared with the first one, and timed
//! (`measure`); what comes out is a table in CSV (`table`).

pub mod command;
pub(crate) mod compare;
pub(crate) mod generate;
mod helpers;
pub(crate) mod kernel;
pub(crate) mod measure;
pub(crate) mod model;
pub(crate) mod plot;
pub(crate) mod space;
pub(crate) mod statistics;
pub(crate) mod table;

pub(crate) use kernel::Kernel;
pub use kernel::Size;

use std::path::Path;

/// Every kernel of a folder, by name; or the one that a file holds.
///
/// # Errors
///
/// What cannot be read, and what in a file is wrong.
pub(crate) fn read_kernels(path: &Path, size: Size) -> Result<Vec<Kernel>, String> {
    let say = |p: &Path, e: std::io::Error| format!("cannot read '{}': {e}", p.display());
    let mut files = Vec::new();
    if path.is_dir() {
        for entry in std::fs::read_dir(path).map_err(|e| say(path, e))? {
            let file = entry.map_err(|e| say(path, e))?.path();
            if file.extension().is_some_and(|e| e == "mlir") {
                files.push(file);
            }
        }
        files.sort();
    } else {
        files.push(path.to_path_buf());
    }
    let read = |file: &std::path::PathBuf| {
        let text = std::fs::read_to_string(file).map_err(|e| say(file, e))?;
        Kernel::read(&file.display().to_string(), &text, size)
    };
    files.iter().map(read).collect()
}
