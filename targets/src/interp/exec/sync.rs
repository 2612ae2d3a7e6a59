//! What threads do together: barriers, shuffles and reductions.
//!
//! A thread that comes to such an op stops. When every thread of the block has ended or
//! stopped, the ops of subgroups whose threads all wait at the same one are carried out;
//! where there is none, all threads of the block must wait at the same op. Anything else
//! is divergence, an error.

use super::Thread;
use crate::interp::code::{Code, Combine, GpuInst, Inst, ShuffleMode, Slot, SyncInst};
use crate::interp::error::{Fault, InterpError, Run};
use crate::interp::ew;
use crate::interp::interpreter::Interpreter;
use crate::interp::memory::Actor;
use crate::interp::value::Value;
use std::rc::Rc;
use terrace_ir::Op;

/// Where a thread waits.
#[derive(Clone)]
struct Waiting {
    code: Rc<Code>,
    pc: usize,
}

impl Waiting {
    fn of(t: &Thread) -> Option<Waiting> {
        t.stopped_at().map(|(code, pc)| Waiting {
            code: code.clone(),
            pc,
        })
    }

    fn inst(&self) -> Option<&SyncInst> {
        match &self.code.insts[self.pc] {
            Inst::Gpu(g) => match &**g {
                GpuInst::Sync(s) => Some(s),
                _ => None,
            },
            _ => None,
        }
    }

    fn op(&self) -> Op {
        self.code.ops[self.pc]
    }

    fn same(&self, other: &Waiting) -> bool {
        Rc::ptr_eq(&self.code, &other.code) && self.pc == other.pc
    }

    fn is_block_wide(&self) -> bool {
        self.inst().is_some_and(SyncInst::is_block_wide)
    }
}

impl Interpreter<'_> {
    /// Carry out what can be done together; the threads that can then go on. Threads that
    /// ended are `None`; the others all wait.
    pub(super) fn release(
        &mut self,
        threads: &mut [Option<Thread>],
    ) -> Result<Vec<usize>, InterpError> {
        let at: Vec<Option<Waiting>> = threads
            .iter()
            .map(|t| t.as_ref().and_then(Waiting::of))
            .collect();
        let width = self.config.subgroup_size.max(1) as usize;
        let mut ready = Vec::new();
        for start in (0..threads.len()).step_by(width) {
            let group = start..(start + width).min(threads.len());
            let members: Vec<usize> = group.filter(|n| at[*n].is_some()).collect();
            let all_block_wide = members
                .iter()
                .all(|n| at[*n].as_ref().is_some_and(Waiting::is_block_wide));
            if members.is_empty() || all_block_wide {
                continue;
            }
            self.together(threads, &at, &members, start)?;
            ready.extend(members);
        }
        if ready.is_empty() {
            ready = (0..threads.len()).collect();
            self.together(threads, &at, &ready, 0)?;
        }
        Ok(ready)
    }

    /// Carry out the op at which these threads wait, which must be one. `first` is the
    /// thread with lane 0.
    fn together(
        &mut self,
        threads: &mut [Option<Thread>],
        at: &[Option<Waiting>],
        members: &[usize],
        first: usize,
    ) -> Result<(), InterpError> {
        let Some((leader, here)) = members.iter().find_map(|n| Some((*n, at[*n].clone()?))) else {
            return Ok(());
        };
        self.check_together(at, members, leader, &here)?;
        let Some(inst) = here.inst() else {
            return Ok(());
        };
        let read = |threads: &[Option<Thread>], s: Slot| -> Vec<Value> {
            let of = |n: &usize| {
                threads[*n]
                    .as_ref()
                    .map_or(Value::Unset, |t| t.slot(s).clone())
            };
            members.iter().map(of).collect()
        };
        let lanes: Vec<i64> = members.iter().map(|n| (n - first) as i64).collect();
        let located = |f: Fault| f.locate(self.ctx, Some(here.op()));
        match inst {
            SyncInst::Barrier => {}
            SyncInst::Shuffle {
                mode,
                value,
                offset,
                width,
                dst,
                valid,
            } => {
                let (values, offsets, widths) = (
                    read(threads, *value),
                    read(threads, *offset),
                    read(threads, *width),
                );
                let limit = i64::from(self.config.subgroup_size);
                let moved =
                    shuffle(*mode, &lanes, &values, &offsets, &widths, limit).map_err(located)?;
                scatter(threads, members, *dst, *valid, moved);
            }
            SyncInst::Rotate {
                value,
                offset,
                width,
                dst,
                valid,
            } => {
                let values = read(threads, *value);
                let moved = rotate(&lanes, &values, *offset, *width).map_err(located)?;
                scatter(threads, members, *dst, *valid, moved);
            }
            SyncInst::Broadcast { value, lane, dst } => {
                let values = read(threads, *value);
                let from = match lane {
                    None => Ok(0),
                    Some(s) => from_lane(&read(threads, *s), &lanes),
                };
                let v = values[from.map_err(located)?].clone();
                members
                    .iter()
                    .for_each(|n| set(threads, *n, *dst, v.clone()));
            }
            SyncInst::SubgroupReduce {
                combine,
                value,
                cluster,
                dst,
            } => {
                let values = read(threads, *value);
                for (k, n) in members.iter().enumerate() {
                    let same = |j: &usize| match cluster {
                        None => true,
                        Some((size, stride)) => {
                            let (size, stride) = ((*size).max(1), (*stride).max(1));
                            let group = |l: i64| (l / size.saturating_mul(stride), l % stride);
                            group(lanes[*j]) == group(lanes[k])
                        }
                    };
                    let part: Vec<Value> = (0..values.len())
                        .filter(same)
                        .map(|j| values[j].clone())
                        .collect();
                    let sum = self.reduce(combine, part, here.op())?;
                    set(threads, *n, *dst, sum);
                    if cluster.is_none() {
                        let sum = threads[*n]
                            .as_ref()
                            .map_or(Value::Unset, |t| t.slot(*dst).clone());
                        members
                            .iter()
                            .for_each(|n| set(threads, *n, *dst, sum.clone()));
                        break;
                    }
                }
            }
            SyncInst::Matrix(inst) => {
                self.matrix(inst, threads, members).map_err(located)?;
            }
            SyncInst::AllReduce {
                combine,
                value,
                dst,
            } => {
                let values = read(threads, *value);
                let sum = self.reduce(combine, values, here.op())?;
                members
                    .iter()
                    .for_each(|n| set(threads, *n, *dst, sum.clone()));
            }
        }
        Ok(())
    }

    /// Threads that wait for each other have to wait at the same op.
    fn check_together(
        &self,
        at: &[Option<Waiting>],
        members: &[usize],
        leader: usize,
        here: &Waiting,
    ) -> Result<(), InterpError> {
        for n in members {
            let problem = match &at[*n] {
                None => Fault::new(format!(
                    "divergence: thread {leader} of the block waits here, but thread {n} has ended"
                )),
                Some(w) if !w.same(here) => Fault::new(format!(
                    "divergence: thread {leader} of the block waits here, but thread {n} elsewhere"
                ))
                .note(Some(w.op()), &format!("thread {n} waits here")),
                Some(_) => continue,
            };
            return Err(problem.locate(self.ctx, Some(here.op())));
        }
        Ok(())
    }

    /// Combines values in order.
    fn reduce(
        &mut self,
        combine: &Combine,
        values: Vec<Value>,
        op: Op,
    ) -> Result<Value, InterpError> {
        let mut values = values.into_iter();
        let mut sum = values.next().unwrap_or(Value::Unset);
        for v in values {
            sum = match combine {
                Combine::Op(kind) => {
                    ew::combine(*kind, &sum, &v).map_err(|f| f.locate(self.ctx, Some(op)))?
                }
                Combine::Body(code) => {
                    let mut t = Thread::new(Actor::Thread {
                        block: u64::MAX,
                        thread: 0,
                    });
                    let results = self.run_to_end(&mut t, code.clone(), vec![sum, v])?;
                    results.into_iter().next().unwrap_or(Value::Unset)
                }
            };
        }
        Ok(sum)
    }
}

pub(super) fn set(threads: &mut [Option<Thread>], n: usize, slot: Slot, v: Value) {
    if let Some(t) = &mut threads[n] {
        t.set_slot(slot, v);
    }
}

fn scatter(
    threads: &mut [Option<Thread>],
    members: &[usize],
    dst: Slot,
    valid: Slot,
    moved: Vec<(Value, bool)>,
) {
    for (n, (v, ok)) in members.iter().zip(moved) {
        set(threads, *n, dst, v);
        set(threads, *n, valid, Value::bool(ok));
    }
}

/// The value of the lane `from` of those in `lanes`.
fn take(from: i64, lanes: &[i64], values: &[Value], reader: i64) -> Run<Value> {
    match lanes.iter().position(|l| *l == from) {
        Some(k) => Ok(values[k].clone()),
        None => Err(Fault::new(format!(
            "lane {reader} reads lane {from}, which does not take part"
        ))),
    }
}

/// What each lane gets, and whether that is from a lane below the width. A lane for which
/// there is none keeps its own value, as on NVIDIA's machines.
fn shuffle(
    mode: ShuffleMode,
    lanes: &[i64],
    values: &[Value],
    offsets: &[Value],
    widths: &[Value],
    limit: i64,
) -> Run<Vec<(Value, bool)>> {
    let width = widths[0].i64()?;
    if width < 1 || width > limit {
        return Err(Fault::new(format!(
            "the width must be between 1 and {limit}, but is {width}"
        )));
    }
    if widths.iter().any(|w| *w != widths[0]) {
        return Err("the width differs between the threads of a subgroup".into());
    }
    let one = |k: usize| -> Run<(Value, bool)> {
        let (lane, offset) = (lanes[k], offsets[k].i64()?);
        let from = match mode {
            ShuffleMode::Xor => lane ^ offset,
            ShuffleMode::Up => lane.saturating_sub(offset),
            ShuffleMode::Down => lane.saturating_add(offset),
            ShuffleMode::Idx => offset,
        };
        if lane >= width || !(0..width).contains(&from) {
            return Ok((values[k].clone(), false));
        }
        Ok((take(from, lanes, values, lane)?, true))
    };
    (0..lanes.len()).map(one).collect()
}

fn rotate(lanes: &[i64], values: &[Value], offset: i64, width: i64) -> Run<Vec<(Value, bool)>> {
    let one = |k: usize| -> Run<(Value, bool)> {
        let lane = lanes[k];
        if lane >= width {
            return Ok((values[k].clone(), false));
        }
        let from = lane
            .saturating_add(offset)
            .checked_rem(width)
            .ok_or("the width must not be 0")?;
        Ok((take(from, lanes, values, lane)?, true))
    };
    (0..lanes.len()).map(one).collect()
}

/// The place of the lane that all threads name.
fn from_lane(named: &[Value], lanes: &[i64]) -> Run<usize> {
    let lane = named[0].i64()?;
    if named.iter().any(|l| *l != named[0]) {
        return Err("the lane differs between the threads of a subgroup".into());
    }
    lanes
        .iter()
        .position(|l| *l == lane)
        .ok_or_else(|| Fault::new(format!("lane {lane} does not take part")))
}
