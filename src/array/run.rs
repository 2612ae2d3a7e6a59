//! Calls of kernels.

use super::arrays::memory_of;
use super::context::Context;
use super::error::ArrayError;
use super::memory::{Contents, Memory};
use smallvec::SmallVec;
use std::sync::{Arc, RwLockReadGuard, RwLockWriteGuard};
use terrace_dsl::program::{Binding, Program};
use terrace_dsl::{ExprError, Kept, Problem};

/// The lock of a memory, for as long as a kernel uses it.
enum Guard<'m> {
    Read(RwLockReadGuard<'m, Contents>),
    Write(RwLockWriteGuard<'m, Contents>),
}

impl Guard<'_> {
    fn contents(&self) -> &Contents {
        match self {
            Guard::Read(c) => c,
            Guard::Write(c) => c,
        }
    }
}

/// A memory that a call uses.
struct Used {
    memory: Arc<Memory>,
    written: bool,
    read: bool,
    /// All of it is written.
    whole: bool,
}

impl Context {
    /// Runs the kernel of a program, and waits for it.
    ///
    /// # Errors
    ///
    /// There is no code for it, or it failed; then what it was to write is lost.
    pub(super) fn run(&self, program: &Program, binding: &Binding) -> Result<(), ArrayError> {
        let used = memories(program, binding)?;
        if let Some(at) = binding.places.first()
            && used.iter().any(|u| u.memory.owner != self.id())
        {
            let problem = Problem::Contexts;
            return Err(ExprError { at, problem }.into());
        }
        let scans = program.folds.iter().all(|f| f.keeps != Kept::Last);
        if scans && binding.sizes.iter().product::<usize>() == 0 {
            return Ok(());
        }
        let kernel = self.kernel(program)?;
        let mut guards: SmallVec<[Guard<'_>; 8]> = (used.iter())
            .map(|u| match u.written {
                true => Guard::Write(u.memory.write()),
                false => Guard::Read(u.memory.read()),
            })
            .collect();
        for (u, g) in used.iter().zip(&guards) {
            if u.read || !u.whole {
                g.contents().check()?;
            }
        }
        let mut words: SmallVec<[u64; 64]> = SmallVec::new();
        words.extend(binding.sizes.iter().map(|n| *n as u64));
        for (slot, view) in program.slots.iter().zip(&binding.views) {
            let at = used
                .iter()
                .position(|u| at_address(&u.memory) == view.memory());
            let address = at.map_or(0, |k| guards[k].contents().address());
            words.push(address + (view.offset * slot.ty.size()) as u64);
            words.extend(view.sizes.iter().map(|n| *n as u64));
            let open = slot.layout.open_strides(slot.rank);
            words.extend(view.strides[..open].iter().map(|s| *s as u64));
        }
        words.extend(binding.parameters.iter().copied());
        // SAFETY: the words are those of the program's parameters. Views lie in their memories,
        // whose locks are held, for writing where the kernel writes.
        let ran = unsafe { kernel.call(&words) };
        let failed = ran.err().map(|(value, message)| ArrayError::Kernel {
            at: value.and_then(|v| binding.places.get(v).copied()),
            message,
        });
        for (u, g) in used.iter().zip(&mut guards) {
            if let Guard::Write(c) = g
                && (failed.is_some() || u.whole)
            {
                c.lost.clone_from(&failed);
            }
        }
        match failed {
            Some(e) => Err(e),
            None => Ok(()),
        }
    }
}

fn at_address(memory: &Arc<Memory>) -> usize {
    Arc::as_ptr(memory) as usize
}

/// The memories of a call, each once, in the order in which all calls lock them.
fn memories(program: &Program, binding: &Binding) -> Result<SmallVec<[Used; 8]>, ArrayError> {
    let mut all: SmallVec<[Used; 8]> = SmallVec::new();
    for (k, (slot, view)) in program.slots.iter().zip(&binding.views).enumerate() {
        let read = program.reads(k);
        let memory = memory_of(view)?;
        let bytes = view.count() * slot.ty.size();
        let whole = slot.written && bytes == memory.bytes();
        match all
            .iter_mut()
            .find(|u| at_address(&u.memory) == view.memory())
        {
            Some(u) => {
                u.written |= slot.written;
                u.read |= read;
                u.whole |= whole;
            }
            None => all.push(Used {
                memory,
                written: slot.written,
                read,
                whole,
            }),
        }
    }
    all.sort_unstable_by_key(|u| at_address(&u.memory));
    Ok(all)
}
