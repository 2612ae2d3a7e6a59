//! `xfer`: where arrays lie, and data regions.

use super::{Decoder, Task};
use crate::interp::Value;
use crate::interp::code::{
    AllocKind, CoherenceInst, DataClause, DataInst, Inst, MemoryInst, OpClass, Slot,
};
use crate::interp::error::Run;
use terrace_dialects::xfer::{
    self, AssertValidOp, Clause, CopyOp, EnsureOp, MarkWrittenOp, Order, PrefetchOp, Side,
    is_pinned,
};
use terrace_ir::{Op, OpKind};

impl Decoder<'_> {
    pub(super) fn xfer(&mut self, op: Op, name: &str) -> Run<()> {
        match name {
            "alloc" => {
                let sizes = self.operands_from(op, 0);
                let kind = match is_pinned(self.ctx, op.result(self.ctx, 0).ty(self.ctx)) {
                    true => AllocKind::Pinned,
                    false => AllocKind::Device,
                };
                self.alloc(op, kind, &sizes, &[])
            }
            "free" => {
                let memref = self.operand(op, 0)?;
                self.memory(MemoryInst::Free {
                    memref,
                    device: true,
                });
                Ok(())
            }
            "copy" => {
                let (source, target) = (self.operand(op, 0)?, self.operand(op, 1)?);
                let order = self.order(&CopyOp::wrap(op).order(self.ctx));
                self.in_order(op, 0, order, |this| {
                    this.memory(MemoryInst::Copy {
                        source,
                        target,
                        anywhere: true,
                    });
                    Ok(())
                })
            }
            "prefetch" => {
                let p = PrefetchOp::wrap(op);
                let array = self.slots(&[p.array(self.ctx)])[0];
                let mirror = self.slots(&[p.mirror(self.ctx)])[0];
                let sides: &[Side] = match p.side(self.ctx) {
                    Side::Host => &[Side::Host],
                    Side::Device => &[Side::Device],
                };
                let order = self.order(&p.order(self.ctx));
                self.in_order(op, 0, order, |this| {
                    this.memory(MemoryInst::Coherence {
                        what: CoherenceInst::Ensure,
                        array,
                        mirror,
                        sides,
                    });
                    Ok(())
                })
            }
            "wait" => self.wait(op),
            "create" => {
                let array = self.operand(op, 0)?;
                let shape = self.shape(op.result(self.ctx, 0).ty(self.ctx))?;
                let dst = self.result(op, 0)?;
                self.memory(MemoryInst::Mirror { array, shape, dst });
                Ok(())
            }
            "discard" => {
                let memref = self.operand(op, 0)?;
                self.memory(MemoryInst::Discard { memref });
                Ok(())
            }
            // There is no profile here.
            "profiled" => {
                let dst = self.result(op, 0)?;
                let value = Value::bool(false);
                self.emit(OpClass::Constant, Inst::Const { dst, value });
                Ok(())
            }
            "note_work" => Ok(()),
            "ensure" | "mark_written" | "assert_valid" => {
                let (what, sides) = match name {
                    "ensure" => (CoherenceInst::Ensure, EnsureOp::wrap(op).sides(self.ctx)),
                    "mark_written" => (
                        CoherenceInst::MarkWritten,
                        MarkWrittenOp::wrap(op).sides(self.ctx),
                    ),
                    _ => (
                        CoherenceInst::AssertValid,
                        AssertValidOp::wrap(op).sides(self.ctx),
                    ),
                };
                let (array, mirror) = (self.operand(op, 0)?, self.operand(op, 1)?);
                self.memory(MemoryInst::Coherence {
                    what,
                    array,
                    mirror,
                    sides,
                });
                Ok(())
            }
            "data" | "end_data" | "enter_data" | "exit_data" | "update" | "present"
            | "is_present" => self.data(op, name),
            _ => Err(self.unknown(op)),
        }
    }

    fn order(&mut self, order: &Order) -> (Box<[Slot]>, Option<Slot>) {
        let tokens = self.slots(&order.tokens).into();
        (tokens, order.queue.map(|q| self.slots(&[q])[0]))
    }

    /// Data regions.
    fn data(&mut self, op: Op, name: &str) -> Run<()> {
        let ctx = self.ctx;
        let has = |flag: &str| op.attr(ctx, flag).is_some();
        let (structured, finalize) = (has("structured"), has("finalize"));
        let if_present = has("if_present");
        match name {
            "end_data" => self.yield_values(op)?,
            "data" => {
                let mut list = self.clauses(op)?;
                let args = self.block_args(op, 0)?;
                let buffers = op.body(ctx, 0).args(ctx);
                for ((c, dst), v) in list.iter_mut().zip(args).zip(buffers) {
                    c.buffer = Some((self.shape(v.ty(ctx))?, dst));
                }
                let structured = true;
                self.memory(MemoryInst::Data(DataInst::Enter { list, structured }));
                let end = self.label();
                let body = self.region_to(op, 0, &[], Some(end))?;
                let leave = Self::then(move |this| {
                    let list = this.clauses(op)?;
                    this.memory(MemoryInst::Data(DataInst::Exit {
                        list,
                        structured: true,
                        finalize: false,
                    }));
                    Ok(())
                });
                self.plan(vec![body, Task::Bind(end), leave]);
            }
            "enter_data" => {
                let list = self.clauses(op)?;
                self.memory(MemoryInst::Data(DataInst::Enter { list, structured }));
            }
            "exit_data" => {
                let list = self.clauses(op)?;
                self.memory(MemoryInst::Data(DataInst::Exit {
                    list,
                    structured,
                    finalize,
                }));
            }
            "update" => {
                let list = self.clauses(op)?;
                self.memory(MemoryInst::Data(DataInst::Update { list, if_present }));
            }
            _ => {
                let array = self.operand(op, 0)?;
                let mut of = DataClause {
                    array,
                    clause: Clause::Present,
                    name: xfer::array_words(ctx, op.operand(ctx, 0)).into(),
                    buffer: None,
                };
                let dst = self.result(op, 0)?;
                let inst = match name {
                    "present" => {
                        of.buffer = Some((self.shape(op.result(ctx, 0).ty(ctx))?, dst));
                        DataInst::Present { of, if_present }
                    }
                    _ => DataInst::IsPresent { of, dst },
                };
                self.memory(MemoryInst::Data(inst));
            }
        }
        Ok(())
    }

    fn clauses(&mut self, op: Op) -> Run<Vec<DataClause>> {
        let ctx = self.ctx;
        let mut list = Vec::new();
        for (i, (v, clause)) in xfer::clauses(ctx, op).into_iter().enumerate() {
            list.push(DataClause {
                array: self.operand(op, i)?,
                clause,
                name: xfer::array_words(ctx, v).into(),
                buffer: None,
            });
        }
        Ok(list)
    }
}
