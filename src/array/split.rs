//! A call on the devices of a context.
//!
//! Where each device has the rows that it computes, each runs the kernel on its own, all at once,
//! and results of reductions are combined in the order of the devices. Otherwise the arrays are
//! brought to the first device, it runs the kernel, and what it wrote goes back to where it
//! belongs.

use super::context::Context;
use super::error::ArrayError;
use super::kernel::Kernel;
use super::memory::Memory;
use super::run::{Call, Failure, Guard};
use std::sync::Arc;
use terrace_dsl::program::{Folded, Program};
use terrace_dsl::{Element, ElementType, Fold, Kept, bf16, f16};

/// Kernels and memory for a call.
pub(super) enum Ready {
    /// There is one device.
    One(Arc<Kernel>),
    /// Each device computes the rows that it has.
    Rows(Vec<Rows>),
    /// The first device computes all, in memory made for it: one for each that is used.
    Gathered(Arc<Kernel>, Vec<Memory>),
}

/// What one device does.
pub(super) struct Rows {
    kernel: Arc<Kernel>,
    /// The first iteration of the outermost loop, and how many there are.
    first: usize,
    count: usize,
    /// Positions count from the first one.
    part: bool,
    /// Where results of reductions go, one for each.
    results: Vec<Memory>,
}

/// Whether a slot takes the result of a reduction of all.
pub(super) fn is_result(program: &Program, slot: usize) -> bool {
    program.kept == 0 && program.folds.iter().any(|f| f.slot as usize == slot)
}

impl Ready {
    /// What a call needs. Kernels are compiled here.
    ///
    /// # Errors
    ///
    /// There is no code for the program, or memory is short.
    pub fn of(call: &Call<'_>) -> Result<Ready, ArrayError> {
        let (context, program) = (call.context, call.program);
        if context.count() == 1 {
            return Ok(Ready::One(context.kernel(0, program)?));
        }
        let Some(starts) = rows(call) else {
            let memories = call.used.iter();
            let made = memories.map(|u| context.memory_on(0, u.memory.bytes()));
            let made = made.collect::<Result<_, _>>()?;
            return Ok(Ready::Gathered(context.kernel(0, program)?, made));
        };
        let mut program = program.clone();
        program.part = program.knows_outermost();
        let each = starts.windows(2).enumerate().map(|(device, ends)| {
            let results = results(context, device, &program)?;
            Ok(Rows {
                kernel: context.kernel(device, &program)?,
                first: ends[0],
                count: ends[1] - ends[0],
                part: program.part,
                results,
            })
        });
        Ok(Ready::Rows(each.collect::<Result<_, ArrayError>>()?))
    }

    /// Runs the kernels. What a kernel says is inside of what copies say.
    ///
    /// # Errors
    ///
    /// A copy failed.
    pub fn run(
        &self,
        call: &Call<'_>,
        guards: &mut [Guard<'_>],
    ) -> Result<Result<(), Failure>, ArrayError> {
        match self {
            Ready::One(kernel) => {
                let address =
                    |k: usize| guards[call.memories[k]].contents().address(0) + call.offset(k);
                let words = call.words(None, None, address);
                // SAFETY: the words are those of the program's parameters. Views lie in their
                // memories, whose locks are held, for writing where the kernel writes.
                Ok(unsafe { kernel.call(&words) })
            }
            Ready::Rows(all) => {
                let ran = run_rows(all, call, guards);
                if ran.is_ok() && call.program.kept == 0 {
                    combine(all, call, guards)?;
                }
                Ok(ran)
            }
            Ready::Gathered(kernel, made) => gathered(kernel, made, call, guards),
        }
    }
}

/// Where the iterations of the outermost loop begin that each device has, and where the last ones
/// end; none where one would need what another has.
fn rows(call: &Call<'_>) -> Option<Vec<usize>> {
    let (program, binding) = (call.program, call.binding);
    let iterations = *binding.sizes.first()?;
    let in_one = |f: &Folded| f.keeps != Kept::Last || f.in_order && program.kept == 0;
    let placed = program.stores.iter().any(|s| s.place.is_some());
    if iterations == 0 || placed || program.folds.iter().any(in_one) {
        return None;
    }
    let mut starts: Option<Vec<usize>> = None;
    for (k, (slot, view)) in program.slots.iter().zip(&binding.views).enumerate() {
        if is_result(program, k) {
            continue;
        }
        let memory = &call.used[call.memories[k]].memory;
        let bytes = view.count() * slot.ty.size();
        let whole = view.offset == 0 && view.is_contiguous() && bytes == memory.bytes();
        let row = bytes / iterations;
        if !whole || slot.rank == 0 || program.reads_elsewhere(k) || row * iterations != bytes {
            return None;
        }
        let found: Vec<usize> = memory.starts().iter().map(|s| s / row.max(1)).collect();
        let fits = memory.starts().iter().all(|s| s % row.max(1) == 0);
        if !fits || starts.as_ref().is_some_and(|s| *s != found) {
            return None;
        }
        starts = Some(found);
    }
    starts
}

/// Memory on a device for results of reductions of all.
fn results(context: &Context, device: usize, p: &Program) -> Result<Vec<Memory>, ArrayError> {
    let folds = p.folds.iter().filter(|_| p.kept == 0);
    folds.map(|_| context.memory_on(device, 16)).collect()
}

/// All devices at once, each its rows.
fn run_rows(all: &[Rows], call: &Call<'_>, guards: &[Guard<'_>]) -> Result<(), Failure> {
    let words = |device: usize, rows: &Rows| {
        let address = |k: usize| {
            let result = call.program.folds.iter().position(|f| f.slot as usize == k);
            match result.and_then(|r| rows.results.get(r)) {
                Some(memory) => memory.read().address(0),
                None => guards[call.memories[k]].contents().address(device),
            }
        };
        call.words(rows.part.then_some(rows.first), Some(rows.count), address)
    };
    let folds = !call.program.folds.is_empty() && call.program.kept == 0;
    let todo: Vec<_> = (all.iter().enumerate())
        .filter(|(_, rows)| rows.count > 0 || folds)
        .map(|(device, rows)| (rows, words(device, rows)))
        .collect();
    std::thread::scope(|s| {
        let running: Vec<_> = (todo.iter())
            .map(|(rows, words)| {
                // SAFETY: as for one device; each writes its own part of the memories.
                s.spawn(move || unsafe { rows.kernel.call(words) })
            })
            .collect();
        let mut ran = Ok(());
        for r in running {
            ran = ran.and(r.join().unwrap_or_else(|p| std::panic::resume_unwind(p)));
        }
        ran
    })
}

/// Puts the results of all devices together.
fn combine(all: &[Rows], call: &Call<'_>, guards: &mut [Guard<'_>]) -> Result<(), ArrayError> {
    for (r, f) in call.program.folds.iter().enumerate() {
        let ty = call.program.slots[f.slot as usize].ty;
        let ty = ty.part().unwrap_or(ty);
        let mut whole: Option<u128> = None;
        // The parts of a complex number are in the memory of the first.
        let same = |other: &Folded| other.slot == f.slot;
        let memory = call.program.folds.iter().position(same).unwrap_or(r);
        let at = f.part.place() * ty.size();
        for rows in all {
            let mut word = [0; 16];
            rows.results[memory]
                .read()
                .copy_out(at, &mut word[..ty.size()])?;
            let bits = u128::from_le_bytes(word);
            whole = Some(whole.map_or(bits, |w| combined(f.fold, ty, w, bits)));
        }
        if let (Some(bits), Guard::Write(c)) = (whole, &mut guards[call.memories[f.slot as usize]])
        {
            // The target may be a part of an array.
            let at = call.offset(f.slot as usize) as usize + at;
            c.copy_in(at, &bits.to_le_bytes()[..ty.size()])?;
        }
    }
    Ok(())
}

/// One value of two, by their bits.
fn combined(fold: Fold, ty: ElementType, l: u128, r: u128) -> u128 {
    macro_rules! of {
        ($t:ty, $sum:expr, $product:expr) => {{
            let (l, r) = (<$t as Element>::from_bits(l), <$t as Element>::from_bits(r));
            let value: $t = match fold {
                Fold::Sum => $sum(l, r),
                Fold::Product => $product(l, r),
                Fold::Min => l.min(r),
                Fold::Max => l.max(r),
                Fold::All | Fold::Any => l,
            };
            Element::to_bits(value)
        }};
    }
    match ty {
        ElementType::Bool if fold == Fold::All => l & r,
        ElementType::Bool => l | r,
        ElementType::I32 => of!(i32, i32::wrapping_add, i32::wrapping_mul),
        ElementType::I64 => of!(i64, i64::wrapping_add, i64::wrapping_mul),
        ElementType::U32 => of!(u32, u32::wrapping_add, u32::wrapping_mul),
        ElementType::U64 => of!(u64, u64::wrapping_add, u64::wrapping_mul),
        ElementType::F16 => of!(f16, std::ops::Add::add, std::ops::Mul::mul),
        ElementType::BF16 => of!(bf16, std::ops::Add::add, std::ops::Mul::mul),
        // Of complex numbers each part is folded.
        ElementType::F32 | ElementType::ComplexF32 => {
            of!(f32, std::ops::Add::add, std::ops::Mul::mul)
        }
        ElementType::F64 | ElementType::ComplexF64 => {
            of!(f64, std::ops::Add::add, std::ops::Mul::mul)
        }
    }
}

/// All on the first device.
fn gathered(
    kernel: &Kernel,
    made: &[Memory],
    call: &Call<'_>,
    guards: &mut [Guard<'_>],
) -> Result<Result<(), Failure>, ArrayError> {
    let mut bytes = Vec::new();
    for (g, m) in guards.iter().zip(made) {
        // What is lost is written whole, or the call would not have begun.
        if g.contents().check().is_ok() {
            bytes.resize(m.bytes(), 0);
            g.contents().copy_out(0, &mut bytes)?;
            m.write().copy_in(0, &bytes)?;
        }
    }
    let address = |k: usize| made[call.memories[k]].read().address(0) + call.offset(k);
    let words = call.words(None, None, address);
    // SAFETY: as for one device; the memories are this call's alone.
    let ran = unsafe { kernel.call(&words) };
    if ran.is_ok() {
        for ((u, g), m) in call.used.iter().zip(guards).zip(made) {
            if let (true, Guard::Write(c)) = (u.written, g) {
                bytes.resize(m.bytes(), 0);
                m.read().copy_out(0, &mut bytes)?;
                c.copy_in(0, &bytes)?;
            }
        }
    }
    Ok(ran)
}
