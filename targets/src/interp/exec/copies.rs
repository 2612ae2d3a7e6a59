//! Copies in the background: what a thread has begun to copy to the memory of its
//! block arrives when it waits for it, and not before, so that a wait that is missing
//! shows as a read of memory that was never written (or of what was there before).

use super::State;
use crate::interp::code::{CopyInst, MatrixElement};
use crate::interp::error::{Fault, Run};
use crate::interp::interpreter::Interpreter;
use crate::interp::memref::{Dims, MemRef};
use crate::interp::value::Value;
use std::collections::VecDeque;
use std::rc::Rc;

/// Elements on their way to memory.
#[derive(Debug)]
struct Copy {
    to: Rc<MemRef>,
    position: i64,
    elements: Vec<Value>,
}

/// The copies of a thread.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// Begun since the last group.
    open: Vec<Copy>,
    /// The groups under way, the oldest first.
    groups: VecDeque<Vec<Copy>>,
}

impl Interpreter<'_> {
    pub(super) fn copy_inst(
        &mut self,
        inst: &CopyInst,
        slots: &[Value],
        state: &mut State,
    ) -> Run<()> {
        match inst {
            CopyInst::Begin {
                from,
                to,
                elements,
                read,
            } => {
                let read = match read {
                    Some(s) => slots[*s as usize].i64()?,
                    None => *elements,
                };
                if !(0..=*elements).contains(&read) {
                    return Err(Fault::new(format!(
                        "reads {read} elements for a copy of {elements}"
                    )));
                }
                let (source, at) = place(from, slots)?;
                let (target, to) = place(to, slots)?;
                let position = target.position(&to)?;
                for k in 0..*elements {
                    self.memory
                        .check_element(&target, position.saturating_add(k), state.actor)?;
                }
                let mut moved = Vec::with_capacity(*elements as usize);
                if read > 0 {
                    let first = source.position(&at)?;
                    for k in 0..read {
                        self.counters.loads += 1;
                        moved.push(self.memory.read(&source, first + k, state.actor)?);
                    }
                }
                moved.resize(*elements as usize, target.elem.zero());
                state.copies.open.push(Copy {
                    to: target,
                    position,
                    elements: moved,
                });
            }
            CopyInst::Group => {
                let group = std::mem::take(&mut state.copies.open);
                state.copies.groups.push_back(group);
            }
            CopyInst::Wait { groups } => {
                while state.copies.groups.len() > *groups {
                    for c in state.copies.groups.pop_front().unwrap_or_default() {
                        for (v, k) in c.elements.iter().zip(0..) {
                            self.counters.stores += 1;
                            self.memory.write(&c.to, c.position + k, v, state.actor)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

fn place(p: &MatrixElement, slots: &[Value]) -> Run<(Rc<MemRef>, Dims)> {
    let m = slots[p.memref as usize].memref()?.clone();
    let at = p.indices.iter().map(|s| slots[*s as usize].i64());
    let at = at.collect::<Run<Dims>>()?;
    super::check_rank(&m, &at)?;
    Ok((m, at))
}
