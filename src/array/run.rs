//! Calls of kernels.

use super::arrays::memory_of;
use super::context::Context;
use super::error::ArrayError;
use super::memory::{Contents, Memory};
use super::split;
use smallvec::SmallVec;
use std::sync::{Arc, RwLockReadGuard, RwLockWriteGuard};
use terrace_dsl::program::{Binding, Program};
use terrace_dsl::{ExprError, Kept, Problem};

/// The lock of a memory, for as long as a kernel uses it.
pub(super) enum Guard<'m> {
    Read(RwLockReadGuard<'m, Contents>),
    Write(RwLockWriteGuard<'m, Contents>),
}

impl Guard<'_> {
    pub fn contents(&self) -> &Contents {
        match self {
            Guard::Read(c) => c,
            Guard::Write(c) => c,
        }
    }
}

/// A memory that a call uses.
pub(super) struct Used {
    pub memory: Arc<Memory>,
    pub written: bool,
    read: bool,
    /// All of it is written.
    whole: bool,
}

/// A call: a program, what it is called with, and the memories with their locks.
pub(super) struct Call<'c> {
    pub context: &'c Context,
    pub program: &'c Program,
    pub binding: &'c Binding,
    pub used: &'c [Used],
    /// The memory of each slot, among those that are used.
    pub memories: SmallVec<[usize; 8]>,
}

/// Why a kernel failed: the number of the value, where it is known, and what happened.
pub(super) type Failure = (Option<usize>, String);

impl Context {
    /// Runs the kernel of a program, and waits for it.
    ///
    /// # Errors
    ///
    /// There is no code for it, or it failed; then what it was to write is lost.
    pub(super) fn run(&self, program: &Program, binding: &Binding) -> Result<(), ArrayError> {
        let bound = self.with_apart(binding)?;
        let binding = bound.as_ref().unwrap_or(binding);
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
        let position = |view: &terrace_dsl::View| {
            let found = used
                .iter()
                .position(|u| at_address(&u.memory) == view.memory());
            found.unwrap_or(0)
        };
        let call = Call {
            context: self,
            program,
            binding,
            used: &used,
            memories: binding.views.iter().map(position).collect(),
        };
        // What is made for the call comes before its locks.
        let ready = split::Ready::of(&call)?;
        let mut guards: SmallVec<[Guard<'_>; 8]> = (used.iter())
            .map(|u| match u.written {
                true => Guard::Write(u.memory.write()),
                false => Guard::Read(u.memory.read()),
            })
            .collect();
        for (u, g) in used.iter().zip(&guards) {
            g.contents().check_use(u.written)?;
            if u.read || !u.whole {
                g.contents().check()?;
            }
        }
        let failed = match ready.run(&call, &mut guards)? {
            Ok(()) => None,
            Err((value, message)) => Some(ArrayError::Kernel {
                at: value.and_then(|v| binding.places.get(v).copied()),
                message,
            }),
        };
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

impl Call<'_> {
    /// The words of a call on one device: sizes, where the outermost loop begins if the program
    /// asks, arrays by their addresses and sizes, numbers. `rows` says how many iterations the
    /// outermost loop has, and how many rows an array of so many has; none leaves them as they are.
    pub fn words(
        &self,
        first: Option<usize>,
        rows: Option<usize>,
        address: impl Fn(usize) -> u64,
    ) -> SmallVec<[u64; 64]> {
        let (program, binding) = (self.program, self.binding);
        let mut words: SmallVec<[u64; 64]> = SmallVec::new();
        words.extend(binding.sizes.iter().map(|n| *n as u64));
        if let (Some(n), Some(size)) = (rows, words.first_mut()) {
            *size = n as u64;
        }
        words.extend(first.map(|n| n as u64));
        for (k, (slot, view)) in program.slots.iter().zip(&binding.views).enumerate() {
            words.push(address(k));
            let at = words.len();
            words.extend(view.sizes.iter().map(|n| *n as u64));
            if let (Some(n), false) = (rows, view.sizes.is_empty() || split::is_result(program, k))
            {
                words[at] = n as u64;
            }
            let open = slot.layout.open_strides(slot.rank);
            // Those of numbers, of which a complex one is two.
            let parts = slot.ty.parts() as isize;
            words.extend(view.strides[..open].iter().map(|s| (s * parts) as u64));
        }
        words.extend(binding.parameters.iter().copied());
        words
    }

    /// The bytes from the first one of a slot's memory to the first one of its view.
    pub fn offset(&self, slot: usize) -> u64 {
        let size = self.program.slots[slot].ty.size();
        (self.binding.views[slot].offset * size) as u64
    }
}

fn at_address(memory: &Arc<Memory>) -> usize {
    Arc::as_ptr(memory) as usize
}

/// The memories of a call, each once, in the order in which all calls lock them.
fn memories(program: &Program, binding: &Binding) -> Result<SmallVec<[Used; 8]>, ArrayError> {
    let mut all: SmallVec<[Used; 8]> = SmallVec::new();
    for (k, (slot, view)) in program.slots.iter().zip(&binding.views).enumerate() {
        let read = program.reads(k) || program.scatters(k);
        let memory = memory_of(view)?;
        let bytes = view.count() * slot.ty.size();
        // What is combined at places, or written to some of them, keeps what was there.
        let whole = slot.written && bytes == memory.bytes() && !program.scatters(k);
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
