//! Code for a program, made by the passes that all programs take, or from what is kept on disk.

use super::context::Here;
use super::error::ArrayError;
use crate::dialects;
use crate::ir::diag::Diagnostic;
use crate::ir::text::parser::{Source, parse};
use crate::ir::verify::verify;
use crate::ir::{Loc, OpKind};
use crate::run::RunError;
use crate::run::cpu;
use crate::run::entry::public_functions;
use crate::run::executor::Program as IrProgram;
use crate::run::gpu::{OnDevice, lower_for, region_key};
use crate::runtime::cache::{Cache, Key};
use crate::targets::native::NativeModule;
use terrace_dsl::lower::{function_name, lower};
use terrace_dsl::program::Program;

/// Code of one program.
pub(super) struct Kernel {
    function: String,
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
    pub fn make(cx: &Here, program: &Program) -> Result<(Kernel, bool), ArrayError> {
        // Passes go through loops and operands by recursion, on a stack that is made for it.
        crate::with_stack(|| Kernel::made(cx, program).map_err(ArrayError::from))
    }

    fn made(cx: &Here, program: &Program) -> Result<(Kernel, bool), RunError> {
        let key = match &cx.disk {
            Some(disk) => Some((disk, Kept::of(cx, program)?)),
            None => None,
        };
        let kept = (key.as_ref()).and_then(|(disk, kept)| read(&kept.load(disk)?));
        let from_disk = kept.is_some();
        let lowered = match kept {
            Some(p) => p,
            None => {
                let mut ctx = dialects::context();
                let module = lower(&mut ctx, program);
                if !verify(&ctx, module) {
                    return Err(RunError::Program(ctx.take_diagnostics()));
                }
                let mut p = IrProgram::of(ctx, module);
                match &cx.device {
                    None => {
                        let algebra = cx.options.numerics.algebra;
                        let cores = cpu::here(&cx.options.cores.machine);
                        cpu::lower_within(&mut p, algebra, &cores)?;
                    }
                    Some(device) => lower_for(&mut p, &**device, &cx.options)?,
                }
                if let Some((disk, kept)) = &key {
                    kept.save(disk, function_name(program), &p.text());
                }
                p
            }
        };
        let code = match &cx.device {
            // Subscripts are the loops' own, whose bounds are the sizes of the arrays; those of
            // neighbours stand under conditions, and those of gathers are brought in.
            None => Code::Host(cpu::code(&lowered, false)?),
            Some(device) => Code::Device(OnDevice::load(&lowered, device, &cx.options)?),
        };
        let function = function_name(program).to_string();
        Ok((Kernel { function, code }, from_disk))
    }

    /// Makes the kernel of a function of a program that somebody wrote. On the cores its accesses
    /// are checked. One that is lowered launches kernels of a device.
    ///
    /// # Errors
    ///
    /// What has no code, and what would run on the host although its arrays are a device's.
    pub fn of_text(
        cx: &Here,
        p: &mut IrProgram,
        function: &str,
        lowered: bool,
    ) -> Result<Kernel, RunError> {
        let code = match &cx.device {
            None => {
                let algebra = cx.options.numerics.algebra;
                let cores = cpu::here(&cx.options.cores.machine);
                cpu::lower(p, true, algebra, &cores)?;
                Code::Host(cpu::code(p, true)?)
            }
            Some(device) => {
                if !lowered {
                    lower_for(p, &**device, &cx.options)?;
                }
                if let Some(loc) = touched_by_host(p) {
                    let said = "this access is in no loop that becomes a kernel; the host cannot \
                                use arrays of a device";
                    let at = p.ctx.diag_loc(loc);
                    return Err(RunError::Program(vec![Diagnostic::error(at, said)]));
                }
                Code::Device(OnDevice::load(p, device, &cx.options)?)
            }
        };
        let function = function.to_string();
        Ok(Kernel { function, code })
    }

    /// The locations of ops that can fail.
    pub fn locations(&self) -> &[Loc] {
        match &self.code {
            Code::Host(native) => &native.locations,
            Code::Device(code) => code.locations(),
        }
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
        // SAFETY: by the contract. Accesses are within the sizes.
        let ran = unsafe { self.call_located(words) };
        ran.map_err(|(loc, message)| (number(loc), message))
    }

    /// The same, with the location of the op that failed.
    ///
    /// # Safety
    ///
    /// As [`Kernel::call`].
    pub unsafe fn call_located(&self, words: &[u64]) -> Result<(), (Loc, String)> {
        match &self.code {
            Code::Host(native) => {
                // SAFETY: by the contract.
                let ran = unsafe { native.call_words(&self.function, words) };
                ran.map_err(|e| (e.loc, e.message))
            }
            // SAFETY: by the contract.
            Code::Device(code) => unsafe { code.call(&self.function, words) },
        }
    }
}

/// The location of an access that code of the host does, outside of all kernels.
fn touched_by_host(p: &IrProgram) -> Option<Loc> {
    let ctx = &p.ctx;
    let mut found = None;
    for f in public_functions(ctx, p.module) {
        f.op().walk(ctx, &mut |op| {
            let name = op.name(ctx);
            let accesses = name.ends_with(".load") || name.ends_with(".store");
            let in_kernel = std::iter::successors(Some(op), |o| o.parent(ctx))
                .any(|o| o.name(ctx).starts_with("gpu."));
            if accesses && !in_kernel {
                found = found.or(Some(op.loc(ctx)));
            }
        });
    }
    found
}

/// A lowered program in the cache on disk: its key there, and all that it depends on as text. The
/// entry begins with that text, which is compared whole.
struct Kept {
    key: Key,
    all: String,
}

/// Stands between the two texts of an entry, and in neither.
const BETWEEN: u8 = 0;

impl Kept {
    fn of(cx: &Here, program: &Program) -> Result<Kept, RunError> {
        let target = cx.options.target.name();
        let on = match &cx.device {
            None => String::new(),
            Some(device) => region_key(&**device, &cx.options)?,
        };
        // Another compiler makes another program: its passes are in the executable file.
        let file = std::env::current_exe().and_then(std::fs::metadata);
        let made = file.and_then(|f| Ok((f.len(), f.modified()?)));
        let compiler = format!("{} {:?}", env!("CARGO_PKG_VERSION"), made.ok());
        let options = format!("{:?}", cx.options);
        let all = format!("{target}\n{on}\n{compiler}\n{options}\n{program:?}\n");
        let key = Key::new(&all, target, "lowered expression", "");
        Ok(Kept { key, all })
    }

    /// The lowered program, if it is there.
    fn load(&self, disk: &Cache) -> Option<String> {
        let entry = disk.load(&self.key)?;
        let rest = entry.strip_prefix(self.all.as_bytes())?;
        let text = rest.strip_prefix(&[BETWEEN])?;
        String::from_utf8(text.to_vec()).ok()
    }

    fn save(&self, disk: &Cache, function: &str, text: &str) {
        let entry = [self.all.as_bytes(), &[BETWEEN], text.as_bytes()].concat();
        disk.save(&self.key, &[function.to_string()], &entry);
    }
}

/// The program of a text that was kept; none where it is no program any more.
fn read(text: &str) -> Option<IrProgram> {
    let mut ctx = dialects::context();
    let module = parse(&mut ctx, &Source::new("kept", text))?;
    verify(&ctx, module).then(|| IrProgram::of(ctx, module))
}
