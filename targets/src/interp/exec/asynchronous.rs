//! Starts of asynchronous ops, and waits.

use crate::interp::code::{AsyncInst, Slot};
use crate::interp::error::Run;
use crate::interp::interpreter::Interpreter;
use crate::interp::memory::Actor;
use crate::interp::tasks::Tasks;
use crate::interp::value::{Value, wrong};
use terrace_ir::Op;

impl Interpreter<'_> {
    pub(super) fn async_inst(
        &mut self,
        inst: &AsyncInst,
        op: Op,
        slots: &mut [Value],
        actor: Actor,
    ) -> Run<()> {
        if actor != Actor::Host {
            return Err("can only run on the host, not in a kernel".into());
        }
        match inst {
            AsyncInst::Begin {
                name,
                tokens,
                queue,
            } => {
                let queues = queue.as_slice();
                let after = self.joined(tokens, queues, slots)?;
                self.memory.schedule.begin(op, name, after);
            }
            AsyncInst::End { queue, dst } => {
                let done = self.memory.schedule.end();
                if let Some(q) = queue {
                    let number = slots[*q as usize].i64()?;
                    self.memory.schedule.put(number, &done);
                }
                slots[*dst as usize] = Value::Token(done);
            }
            AsyncInst::Wait { of } => {
                let tasks = self.waited_for(of.as_ref(), slots)?;
                self.memory.wait_for(&tasks);
            }
            AsyncInst::Join { of, on, dst } => {
                let tasks = self.waited_for(of.as_ref(), slots)?;
                if let Some(q) = on {
                    let number = slots[*q as usize].i64()?;
                    self.memory.schedule.put(number, &tasks);
                }
                slots[*dst as usize] = Value::Token(tasks);
            }
        }
        Ok(())
    }

    fn waited_for(&self, of: Option<&(Box<[Slot]>, Box<[Slot]>)>, slots: &[Value]) -> Run<Tasks> {
        match of {
            None => Ok(self.memory.schedule.all()),
            Some((tokens, queues)) => self.joined(tokens, queues, slots),
        }
    }

    /// What tokens and queues stand for.
    fn joined(&self, tokens: &[Slot], queues: &[Slot], slots: &[Value]) -> Run<Tasks> {
        let mut sets = Vec::new();
        for t in tokens {
            match &slots[*t as usize] {
                Value::Token(t) => sets.push(t.clone()),
                v => return Err(wrong("an async token", v)),
            }
        }
        for q in queues {
            sets.push(self.memory.schedule.queue(slots[*q as usize].i64()?));
        }
        Ok(self.memory.schedule.together(&sets))
    }
}
