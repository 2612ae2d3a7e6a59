//! Files that reproduce a failure: the IR that went in, and the pipeline.

use crate::context::Context;
use crate::op::Op;
use crate::text::printer::{PrintOptions, print};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use terrace_support::unfinished::Unfinished;

/// The IR with the pipeline attached, as a tool's run-reproducer option reads it.
pub(super) fn text(ctx: &Context, op: Op, pipeline: &str, verify_each: bool) -> String {
    let mut s = print(
        ctx,
        op,
        &PrintOptions {
            debug_info: false,
            ..Default::default()
        },
    );
    let mut quoted = String::new();
    for c in pipeline.chars() {
        if matches!(c, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    s.push_str(&format!(
        "\n{{-#\n  external_resources: {{\n    mlir_reproducer: {{\n      \
         pipeline: \"{quoted}\",\n      disable_threading: true,\n      \
         verify_each: {verify_each}\n    }}\n  }}\n#-}}\n"
    ));
    s
}

/// Write a file under another name beside it, then give it its own: a reader finds
/// all of it or none. A symbolic link stays one; what is no regular file (a device, a
/// pipe) is written to as it is, since to replace it would take it away.
pub fn write_atomically(path: &Path, text: impl AsRef<[u8]>) -> std::io::Result<()> {
    let text = text.as_ref();
    let target;
    let path = match std::fs::metadata(path) {
        Ok(m) if !m.is_file() => {
            let mut f = std::fs::OpenOptions::new().write(true).open(path)?;
            return f.write_all(text);
        }
        Ok(_) => {
            target = std::fs::canonicalize(path)?;
            &target
        }
        Err(_) => path,
    };
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside: PathBuf = path.with_file_name(name);
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let (mut f, _unfinished) = Unfinished::file(&beside, &options)?;
    let written = (|| {
        f.write_all(text)?;
        f.sync_all()?;
        std::fs::rename(&beside, path)
    })();
    if written.is_err() {
        // The first error is the one to report.
        let _ = std::fs::remove_file(&beside);
    }
    written
}
