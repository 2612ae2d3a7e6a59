//! Printing what a program becomes.

use super::RunError;
use super::executor::{CPU_PIPELINE, GPU_PIPELINE, Program};
use super::options::{Emit, RunOptions, Target};
use super::{cpu, gpu};
use crate::targets::machine::by_name;

/// A form of the program made for `options.target`.
pub(super) fn emit(
    file_name: &str,
    text: &str,
    form: Emit,
    options: &RunOptions,
) -> Result<String, RunError> {
    let mut program = Program::new(file_name, text)?;
    if form == Emit::Ptx {
        by_name(&options.arch).map_err(|m| RunError::Usage(vec![m]))?;
    }
    // PTX comes only from the GPU's form, whatever target was named.
    let target = if form == Emit::Ptx {
        Target::Gpu
    } else {
        options.target
    };
    match target {
        Target::Interp => {}
        Target::Cpu => program.run_pipeline(CPU_PIPELINE)?,
        Target::Gpu => program.run_pipeline(GPU_PIPELINE)?,
    }
    match form {
        Emit::Mlir => Ok(program.text()),
        Emit::Ptx => {
            let binaries = gpu::binaries(&program, &options.arch)?;
            let texts: Vec<String> = binaries.into_iter().map(|(_, b)| b.ptx).collect();
            if texts.is_empty() {
                return Err(RunError::Usage(vec![
                    "the program has no parallel loop to make a kernel of".to_string(),
                ]));
            }
            Ok(join(&texts))
        }
        Emit::Clif => Ok(cpu::compile(&program)?.clif().to_string()),
        Emit::Asm => Ok(cpu::compile(&program)?.asm().to_string()),
    }
}

/// Several modules of one program and architecture as one text: the directives that
/// head a file stand once, in the newest version that any of them needs, and source
/// files once each, since all modules number the files of the program alike.
pub(crate) fn join(texts: &[String]) -> String {
    let is_head = |l: &str| {
        [".version", ".target", ".address_size", ".file"]
            .iter()
            .any(|d| l.starts_with(d))
    };
    let mut head: Vec<&str> = Vec::new();
    let mut body = String::new();
    for t in texts {
        for line in t.lines() {
            if !is_head(line) {
                body.push_str(line);
                body.push('\n');
            } else if !head.contains(&line) {
                head.push(line);
            }
        }
    }
    let version = head
        .iter()
        .filter(|l| l.starts_with(".version"))
        .max_by_key(|l| version_of(l));
    let version = version.copied().unwrap_or_default();
    head.retain(|l| !l.starts_with(".version") || *l == version);
    head.sort_by_key(|l| !l.starts_with(".version"));
    head.join("\n") + "\n" + &body
}

/// The numbers of a `.version 7.8` line.
fn version_of(line: &str) -> (u32, u32) {
    let text = line.trim_start_matches(".version").trim();
    let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
    (major.parse().unwrap_or(0), minor.parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn one_head_for_all_modules() {
        let a = ".version 7.8\n.target sm_90\n.file 1 \"f\"\n\n.entry a".to_string();
        let b = ".version 7.10\n.target sm_90\n.file 1 \"f\"\n\n.entry b".to_string();
        let text = join(&[a, b]);
        assert_eq!(
            text,
            ".version 7.10\n.target sm_90\n.file 1 \"f\"\n\n.entry a\n\n.entry b\n"
        );
    }
}
