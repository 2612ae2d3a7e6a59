//! The PTX after each pass of the machine form's optimiser, for people.
//!
//! On standard error one function after the other under heads like those of
//! `-mlir-print-ir-after-change`; in a folder one module a file, complete, so that each
//! can be assembled or run:
//!
//! ```text
//! // -----// PTX Dump After cse (kernel: scale, 3 changes) //----- //
//! DIR/scale/02-cse.ptx
//! ```

use crate::ir::pass::write_atomically;
use crate::targets::gpu_to_ptx::PassDump;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Where dumps go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DumpTo {
    /// Standard error.
    Shown,
    /// A folder, which is made.
    Folder(PathBuf),
}

/// What to say on standard error; files are written.
///
/// # Errors
///
/// What could not be written.
pub(super) fn tell(dumps: &[PassDump], to: &DumpTo) -> Result<String, String> {
    match to {
        DumpTo::Shown => Ok(dumps.iter().map(shown).collect()),
        DumpTo::Folder(folder) => {
            write(dumps, folder)?;
            Ok(String::new())
        }
    }
}

fn shown(d: &PassDump) -> String {
    let changes = match d.changes {
        0 => String::new(),
        1 => ", 1 change".to_string(),
        n => format!(", {n} changes"),
    };
    let what = if d.is_kernel { "kernel" } else { "function" };
    let head = match d.pass {
        Some(pass) => format!("PTX Dump After {pass}"),
        None => "PTX Dump Before Passes".to_string(),
    };
    format!(
        "// -----// {head} ({what}: {}{changes}) //----- //\n{}\n",
        d.function, d.text
    )
}

fn write(dumps: &[PassDump], folder: &Path) -> Result<(), String> {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    for d in dumps {
        let own = folder.join(&d.function);
        std::fs::create_dir_all(&own)
            .map_err(|e| format!("cannot make folder '{}': {e}", own.display()))?;
        let number = numbers.entry(&d.function).or_default();
        let name = d.pass.unwrap_or("before");
        let path = own.join(format!("{number:02}-{name}.ptx"));
        *number += 1;
        write_atomically(&path, &d.module)
            .map_err(|e| format!("cannot open output file '{}': {e}", path.display()))?;
    }
    Ok(())
}
