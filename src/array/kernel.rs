//! Code for a program, made by the passes that all programs take, or from what is kept on disk.

use super::context::Inner;
use super::error::ArrayError;
use crate::dialects;
use crate::ir::Loc;
use crate::ir::text::parser::{Source, parse};
use crate::ir::verify::verify;
use crate::run::RunError;
use crate::run::cpu;
use crate::run::executor::Program as IrProgram;
use crate::run::gpu::{OnDevice, lower_for};
use crate::targets::native::NativeModule;
use terrace_dsl::lower::{function_name, lower};
use terrace_dsl::program::Program;

/// Code of one program.
pub(super) struct Kernel {
    function: &'static str,
    code: Code,
}

enum Code {
    Host(NativeModule),
    Device(OnDevice),
}

impl Kernel {
    /// Makes the kernel of a program. Says whether it is from the cache on disk.
    ///
    /// # Errors
    ///
    /// What has no code.
    pub fn make(cx: &Inner, program: &Program) -> Result<(Kernel, bool), ArrayError> {
        // Passes go through loops and operands by recursion, on a stack that is made for it.
        crate::with_stack(|| Kernel::made(cx, program).map_err(ArrayError::from))
    }

    fn made(cx: &Inner, program: &Program) -> Result<(Kernel, bool), RunError> {
        let kept = None::<String>;
        let mut lowered = match kept.as_deref().and_then(read) {
            Some(p) => p,
            None => {
                let mut ctx = dialects::context();
                let module = lower(&mut ctx, program);
                if !verify(&ctx, module) {
                    return Err(RunError::Program(ctx.take_diagnostics()));
                }
                let mut p = IrProgram::of(ctx, module);
                match &cx.device {
                    None => cpu::lower(&mut p, true, &cx.options.cores.machine)?,
                    Some(device) => lower_for(&mut p, &**device, &cx.options)?,
                }
                p
            }
        };
        let code = match &cx.device {
            None => Code::Host(cpu::code(&lowered)?),
            Some(device) => Code::Device(OnDevice::load(&mut lowered, device, &cx.options)?),
        };
        let function = function_name(program);
        Ok((Kernel { function, code }, kept.is_some()))
    }

    /// Calls it with the words of its arguments. An error has the number of the value whose
    /// operation failed, where it is known.
    ///
    /// # Safety
    ///
    /// Addresses among the words are of memory of the kernel's device, which holds the elements
    /// that the sizes and strides behind them describe, and which nobody else uses during the
    /// call, or only reads where the kernel reads.
    pub unsafe fn call(&self, words: &[u64]) -> Result<(), (Option<usize>, String)> {
        let number = |loc: Loc| match loc {
            Loc::File { line, .. } => (line as usize).checked_sub(1),
            _ => None,
        };
        match &self.code {
            Code::Host(native) => {
                // SAFETY: by the contract. Accesses are checked against the sizes.
                let ran = unsafe { native.call_words(self.function, words) };
                ran.map_err(|e| (number(e.loc), e.message))
            }
            Code::Device(code) => {
                // SAFETY: by the contract.
                let ran = unsafe { code.call(self.function, words) };
                ran.map_err(|(loc, message)| (number(loc), message))
            }
        }
    }
}

/// The program of a text that was kept; none where it is no program any more.
fn read(text: &str) -> Option<IrProgram> {
    let mut ctx = dialects::context();
    let module = parse(&mut ctx, &Source::new("kept", text))?;
    verify(&ctx, module).then(|| IrProgram::of(ctx, module))
}
