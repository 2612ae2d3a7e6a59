//! `func` and `cf`, and the terminators of regions.

use super::{Decoder, Yield, attrs};
use crate::interp::code::{Call, Callee, Ew, Inst, OpClass, Slot, Switch};
use crate::interp::error::{Fault, Run};
use crate::interp::value::{Elem, Value};
use terrace_dialects::attributes::TERRACE_C_FUNCTION;
use terrace_dialects::{cf, func};
use terrace_ir::{AttrData, Block, Op, symbols};

impl Decoder<'_> {
    pub(super) fn control(&mut self, op: Op, name: &str) -> Run<()> {
        let ctx = self.ctx;
        match name {
            func::ReturnOp::NAME => {
                let values = self.operands_from(op, 0);
                self.emit(OpClass::Control, Inst::Return(values.into()));
            }
            func::ConstantOp::NAME => {
                let f = self.callee(op, "value")?;
                let dst = self.result(op, 0)?;
                self.emit(
                    OpClass::Constant,
                    Inst::Const {
                        dst,
                        value: Value::Func(f),
                    },
                );
            }
            func::CallOp::NAME => {
                let f = self.callee(op, "callee")?;
                if f.attr(ctx, TERRACE_C_FUNCTION).is_some() {
                    return self.c_function(op, f);
                }
                let (args, results) = (self.operands_from(op, 0), self.results(op));
                self.call(Callee::Known(f), args, results);
            }
            func::CallIndirectOp::NAME => {
                let f = self.operand(op, 0)?;
                let (args, results) = (self.operands_from(op, 1), self.results(op));
                self.call(Callee::Slot(f), args, results);
            }
            cf::AssertOp::NAME => {
                let cond = self.operand(op, 0)?;
                let message = op.str_attr(ctx, "msg").unwrap_or("").into();
                self.emit(OpClass::Control, Inst::Assert { cond, message });
            }
            cf::BranchOp::NAME => {
                let to = successor(self, op, 0)?;
                let values = self.operands_from(op, 0);
                self.branch(OpClass::Control, to, &values)?;
            }
            cf::CondBranchOp::NAME => {
                let groups = self.segments(op, 3)?;
                let [cond, then, otherwise] = &groups[..] else {
                    return Err("lacks operands".into());
                };
                let other = self.label();
                let cond = *cond.first().ok_or("lacks a condition")?;
                self.emit(OpClass::Control, Inst::Unless { cond, to: other.0 });
                let (yes, no) = (successor(self, op, 0)?, successor(self, op, 1)?);
                self.branch(OpClass::None, yes, then)?;
                self.bind(other);
                self.branch(OpClass::None, no, otherwise)?;
            }
            cf::SwitchOp::NAME => self.switch(op)?,
            _ => return Err(self.unknown(op)),
        }
        Ok(())
    }

    fn c_function(&mut self, op: Op, f: Op) -> Run<()> {
        let ctx = self.ctx;
        let inst = Inst::CFunction {
            dst: self.result(op, 0)?,
            args: self.operands_from(op, 0).into(),
            name: f.symbol_name(ctx).unwrap_or("").into(),
            double: op.result(ctx, 0).ty(ctx) == ctx.f64(),
        };
        self.emit(OpClass::Call, inst);
        Ok(())
    }

    fn call(&mut self, callee: Callee, args: Vec<Slot>, results: Vec<Slot>) {
        let call = Call {
            callee,
            args: args.into(),
            results: results.into(),
        };
        self.emit(OpClass::Call, Inst::Call(Box::new(call)));
    }

    fn callee(&self, op: Op, attr: &str) -> Run<Op> {
        let symbol = op
            .attr(self.ctx, attr)
            .ok_or("lacks the name of a function")?;
        symbols::lookup(self.ctx, op, symbol).ok_or_else(|| {
            Fault::new(format!(
                "there is no function {}",
                self.ctx.attr_text(symbol)
            ))
        })
    }

    /// Jump to a block with these arguments.
    fn branch(&mut self, class: OpClass, to: Block, values: &[Slot]) -> Run<()> {
        let args = to.args(self.ctx);
        let args = self.slots(&args);
        if args.len() != values.len() {
            return Err("the number of operands is not that of the block's arguments".into());
        }
        let label = *self
            .blocks
            .get(&to)
            .ok_or("the successor is in another region")?;
        self.moves(&args, values);
        self.emit(class, Inst::Jump(label.0));
        Ok(())
    }

    fn switch(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
        let groups = self.segments(op, 3)?;
        let on = *groups[0].first().ok_or("lacks a flag")?;
        let values = match op.attr(ctx, "case_values") {
            None => Vec::new(),
            Some(a) => {
                let AttrData::Dense { ty, .. } = a.data(ctx) else {
                    return Err("lacks case values".into());
                };
                let elem = ty
                    .element(ctx)
                    .and_then(|t| Elem::of(ctx, t))
                    .ok_or("lacks case values")?;
                attrs::dense(ctx, a, elem).ok_or("lacks case values")?
            }
        };
        let sizes = attrs::i64s(ctx, op, "case_operand_segments").unwrap_or_default();
        if sizes.len() != values.len() || op.num_successors(ctx) != values.len() + 1 {
            return Err("the numbers of cases, successors and operand groups differ".into());
        }
        let default = self.label();
        let mut cases = Vec::new();
        let mut arms = vec![(default, 0, groups[1].clone())];
        let mut rest = &groups[2][..];
        for (k, (value, size)) in values.iter().zip(&sizes).enumerate() {
            let n = usize::try_from(*size).ok().filter(|n| *n <= rest.len());
            let (mine, tail) = rest.split_at(n.ok_or("has operand groups that do not fit")?);
            rest = tail;
            let label = self.label();
            cases.push((value.i64()?, label.0));
            arms.push((label, k + 1, mine.to_vec()));
        }
        cases.sort_by_key(|c| c.0);
        self.emit(
            OpClass::Control,
            Inst::Switch(Box::new(Switch {
                on,
                cases,
                default: default.0,
            })),
        );
        for (label, k, values) in arms {
            self.bind(label);
            let to = successor(self, op, k)?;
            self.branch(OpClass::None, to, &values)?;
        }
        Ok(())
    }

    /// `scf.yield`, `affine.yield` and other ends of a region.
    pub(super) fn yield_values(&mut self, op: Op) -> Run<()> {
        let region = op.region_of(self.ctx).ok_or("stands in no region")?;
        let to = self
            .yields
            .get(&region)
            .cloned()
            .ok_or("ends a region that is not run")?;
        let values = self.operands_from(op, 0);
        match &*to {
            Yield::To(dst, exit) => {
                if dst.len() != values.len() {
                    return Err(format!(
                        "has {} values, but {} are expected",
                        values.len(),
                        dst.len()
                    )
                    .into());
                }
                self.moves(dst, &values);
                if let Some(exit) = exit {
                    self.emit(OpClass::None, Inst::Jump(exit.0));
                }
            }
            Yield::Reduce(ops, accs) => {
                if ops.len() != values.len() {
                    return Err(format!(
                        "has {} values, but {} are expected",
                        values.len(),
                        ops.len()
                    )
                    .into());
                }
                for (k, (kind, acc)) in ops.iter().zip(accs).enumerate() {
                    let out = self.elem(op.operand(self.ctx, k).ty(self.ctx))?;
                    let args = [*acc, values[k]].into();
                    let ew = Ew {
                        op: *kind,
                        out,
                        args,
                        dst: *acc,
                        second: None,
                    };
                    self.emit(OpClass::Control, Inst::Ew(Box::new(ew)));
                }
            }
            Yield::Condition {
                body,
                results,
                exit,
            } => {
                let (cond, values) = values.split_first().ok_or("lacks a condition")?;
                let leave = self.label();
                let go = self.label();
                self.emit(
                    OpClass::Control,
                    Inst::Unless {
                        cond: *cond,
                        to: leave.0,
                    },
                );
                self.moves(body, values);
                self.emit(OpClass::None, Inst::Jump(go.0));
                self.bind(leave);
                self.moves(results, values);
                self.emit(OpClass::None, Inst::Jump(exit.0));
                self.bind(go);
            }
            Yield::Atomic { memref, indices } => {
                let value = *values.first().ok_or("lacks a value")?;
                let indices = indices.clone().into();
                self.emit(
                    OpClass::Store,
                    Inst::Store {
                        value,
                        memref: *memref,
                        indices,
                    },
                );
            }
            Yield::Return => self.emit(OpClass::Control, Inst::Return(values.into())),
        }
        Ok(())
    }
}

fn successor(d: &Decoder, op: Op, i: usize) -> Run<Block> {
    if i >= op.num_successors(d.ctx) {
        return Err(Fault::new(format!("lacks successor #{i}")));
    }
    Ok(op.successor(d.ctx, i))
}
