//! Printing what a program becomes.

use super::RunError;
use super::executor::{CPU_PIPELINE, GPU_PIPELINE, Program};
use super::options::{Emit, RunOptions, Target};
use super::{cpu, gpu};

/// A form of the program made for `options.target`.
pub(super) fn emit(
    file_name: &str,
    text: &str,
    form: Emit,
    options: &RunOptions,
) -> Result<String, RunError> {
    let mut program = Program::new(file_name, text)?;
    // PTX comes only from the GPU's form, whatever target was named.
    let target = if form == Emit::Ptx { Target::Gpu } else { options.target };
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
            Ok(texts.join("\n"))
        }
        Emit::Clif => Ok(cpu::compile(&program)?.clif().to_string()),
        Emit::Asm => Ok(cpu::compile(&program)?.asm().to_string()),
    }
}
