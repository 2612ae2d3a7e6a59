//! `scf`: structured control flow as jumps.
//!
//! Loops over several dimensions run in lexicographic order, parallel ones too, so that
//! a program has one result.

use super::{Decoder, Task, Yield, attrs};
use crate::interp::code::{Inst, Num, OpClass, Slot, Switch};
use crate::interp::error::Run;
use crate::interp::value::Value;
use std::rc::Rc;
use terrace_dialects::memref;
use terrace_ir::{Context, Op};

/// One dimension of a loop: the variable, its bounds and the step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dim {
    pub iv: Slot,
    pub lower: Slot,
    pub upper: Slot,
    pub step: Slot,
    pub unsigned: bool,
}

impl<'c> Decoder<'c> {
    pub(super) fn scf(&mut self, op: Op, name: &str) -> Run<()> {
        match name {
            "for" => {
                let groups = self.operands_from(op, 0);
                let [lower, upper, step, inits @ ..] = &groups[..] else {
                    return Err("lacks operands".into());
                };
                let args = self.block_args(op, 0)?;
                let (iv, carried) = args.split_first().ok_or("lacks a loop variable")?;
                let unsigned = op.attr(self.ctx, "unsignedCmp").is_some();
                self.emit(
                    OpClass::None,
                    Inst::CheckStep {
                        step: *step,
                        unsigned,
                    },
                );
                let dim = Dim {
                    iv: *iv,
                    lower: *lower,
                    upper: *upper,
                    step: *step,
                    unsigned,
                };
                self.counted_loop(op, dim, inits, carried)
            }
            "while" => self.scf_while(op),
            "if" => {
                let cond = self.operand(op, 0)?;
                let otherwise = self.label();
                self.emit(
                    OpClass::Control,
                    Inst::Unless {
                        cond,
                        to: otherwise.0,
                    },
                );
                self.two_ways(op, otherwise)
            }
            "parallel" => self.scf_parallel(op),
            "forall" => self.forall(op),
            "reduce" => self.reduce(op),
            "execute_region" => self.once(op),
            "index_switch" => self.index_switch(op),
            "yield" | "condition" | "reduce.return" => self.yield_values(op),
            "forall.in_parallel" => Ok(()),
            _ => Err(self.unknown(op)),
        }
    }

    /// A region that runs once and gives the results.
    pub(super) fn once(&mut self, op: Op) -> Run<()> {
        let end = self.label();
        let results = self.results(op);
        let body = self.region_to(op, 0, &results, Some(end))?;
        self.plan(vec![body, Task::Bind(end)]);
        Ok(())
    }

    /// A loop over one dimension that carries values.
    pub(super) fn counted_loop(
        &mut self,
        op: Op,
        d: Dim,
        inits: &[Slot],
        carried: &[Slot],
    ) -> Run<()> {
        let results = self.results(op);
        if inits.len() != carried.len() || results.len() != carried.len() {
            return Err("the numbers of initial values, carried values and results differ".into());
        }
        self.moves(carried, inits);
        let carried = carried.to_vec();
        let body = self.region_to(op, 0, &carried, None)?;
        let end = Self::then(move |this| {
            this.moves(&results, &carried);
            Ok(())
        });
        self.nest(op, &[d], body, end);
        Ok(())
    }

    /// Loops over `dims` around `body`, outermost first, then `end`.
    pub(super) fn nest(&mut self, op: Op, dims: &[Dim], body: Task<'c>, end: Task<'c>) {
        let exit = self.label();
        let mut next = exit;
        let mut heads = Vec::new();
        for d in dims {
            self.moves(&[d.iv], &[d.lower]);
            let test = Inst::LoopTest {
                iv: d.iv,
                ub: d.upper,
                unsigned: d.unsigned,
                exit: next.0,
            };
            self.emit(OpClass::Control, test);
            let head = self.label();
            self.bind(head);
            next = self.label();
            heads.push((*d, head, next));
        }
        let scoped = has_alloca(self.ctx, op);
        if scoped {
            self.emit(OpClass::None, Inst::ScopeEnter);
        }
        let latch = Self::then(move |this| {
            this.current = op;
            if scoped {
                this.emit(OpClass::None, Inst::ScopeLeave);
            }
            for (d, head, next) in heads.into_iter().rev() {
                this.bind(next);
                let Dim {
                    iv,
                    step,
                    upper: ub,
                    unsigned,
                    ..
                } = d;
                this.emit(
                    OpClass::Control,
                    Inst::LoopNext {
                        iv,
                        step,
                        ub,
                        unsigned,
                        body: head.0,
                    },
                );
            }
            Ok(())
        });
        self.plan(vec![body, latch, Task::Bind(exit), end]);
    }

    fn scf_while(&mut self, op: Op) -> Run<()> {
        let inits = self.operands_from(op, 0);
        let (before, body) = (self.block_args(op, 0)?, self.block_args(op, 1)?);
        let results = self.results(op);
        let (start, exit) = (self.label(), self.label());
        self.moves(&before, &inits);
        self.bind(start);
        let test = Yield::Condition {
            body,
            results,
            exit,
        };
        let tasks = vec![
            Task::Region(op.region(self.ctx, 0), Rc::new(test)),
            self.region_to(op, 1, &before, None)?,
            Task::Jump(start),
            Task::Bind(exit),
        ];
        self.plan(tasks);
        Ok(())
    }

    /// Two regions, the second one (which may be empty) at `otherwise`.
    pub(super) fn two_ways(&mut self, op: Op, otherwise: super::Label) -> Run<()> {
        let results = self.results(op);
        let end = self.label();
        let mut tasks = vec![
            self.region_to(op, 0, &results, Some(end))?,
            Task::Jump(end),
            Task::Bind(otherwise),
        ];
        if op.num_regions(self.ctx) > 1 {
            tasks.push(self.region_to(op, 1, &results, Some(end))?);
        }
        tasks.push(Task::Bind(end));
        self.plan(tasks);
        Ok(())
    }

    fn scf_parallel(&mut self, op: Op) -> Run<()> {
        let groups = self.segments(op, 4)?;
        let ivs = self.block_args(op, 0)?;
        let results = self.results(op);
        self.moves(&results, &groups[3]);
        let mut dims = Vec::new();
        for (k, &iv) in ivs.iter().enumerate() {
            let bound = |g: usize| groups[g].get(k).copied().ok_or("lacks a bound or step");
            let (lower, upper, step) = (bound(0)?, bound(1)?, bound(2)?);
            self.emit(
                OpClass::None,
                Inst::CheckStep {
                    step,
                    unsigned: false,
                },
            );
            dims.push(Dim {
                iv,
                lower,
                upper,
                step,
                unsigned: false,
            });
        }
        // The results are the accumulators, which `scf.reduce` at the end updates.
        let body = self.region_to(op, 0, &results, None)?;
        self.nest(op, &dims, body, Self::then(|_| Ok(())));
        Ok(())
    }

    /// `scf.reduce`: for each value a region that combines it with what there is.
    fn reduce(&mut self, op: Op) -> Run<()> {
        let region = op.region_of(self.ctx).ok_or("stands in no region")?;
        let to = self
            .yields
            .get(&region)
            .cloned()
            .ok_or("ends a region that is not run")?;
        let Yield::To(accs, _) = &*to else {
            return Err("ends a region that does not reduce".into());
        };
        let values = self.operands_from(op, 0);
        let mut tasks = Vec::new();
        for (k, (acc, value)) in accs.iter().copied().zip(values).enumerate() {
            let args = self.block_args(op, k)?;
            tasks.push(Self::then(move |this| {
                this.moves(&args, &[acc, value]);
                Ok(())
            }));
            tasks.push(self.region_to(op, k, &[acc], None)?);
        }
        self.plan(tasks);
        Ok(())
    }

    fn forall(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
        let groups = self.segments(op, 4)?;
        if !groups[3].is_empty() || op.num_results(ctx) > 0 {
            return Err("the interpreter cannot run 'scf.forall' on tensors".into());
        }
        let ivs = self.block_args(op, 0)?;
        let mut bounds = Vec::new();
        for (k, name) in ["staticLowerBound", "staticUpperBound", "staticStep"]
            .iter()
            .enumerate()
        {
            let statics = attrs::i64s(ctx, op, name)?;
            let nums = self.mixed(&statics, &groups[k])?;
            bounds.push(
                nums.iter()
                    .map(|n| self.num_slot(*n))
                    .collect::<Vec<Slot>>(),
            );
        }
        let mut dims = Vec::new();
        for (k, &iv) in ivs.iter().enumerate() {
            let bound = |g: usize| bounds[g].get(k).copied().ok_or("lacks a bound or step");
            let (lower, upper, step) = (bound(0)?, bound(1)?, bound(2)?);
            self.emit(
                OpClass::None,
                Inst::CheckStep {
                    step,
                    unsigned: false,
                },
            );
            dims.push(Dim {
                iv,
                lower,
                upper,
                step,
                unsigned: false,
            });
        }
        let body = self.region_to(op, 0, &[], None)?;
        self.nest(op, &dims, body, Self::then(|_| Ok(())));
        Ok(())
    }

    fn num_slot(&mut self, n: Num) -> Slot {
        match n {
            Num::Known(v) => self.constant(Value::Index(v)),
            Num::Slot(s) => s,
        }
    }

    fn index_switch(&mut self, op: Op) -> Run<()> {
        let on = self.operand(op, 0)?;
        let values = attrs::i64s(self.ctx, op, "cases")?;
        if op.num_regions(self.ctx) != values.len() + 1 {
            return Err("the numbers of cases and regions differ".into());
        }
        let results = self.results(op);
        let (default, end) = (self.label(), self.label());
        let mut cases = Vec::new();
        let mut tasks = Vec::new();
        for (k, value) in values.iter().enumerate() {
            let label = self.label();
            cases.push((*value, label.0));
            tasks.push(Task::Bind(label));
            tasks.push(self.region_to(op, k + 1, &results, Some(end))?);
        }
        cases.sort_by_key(|c| c.0);
        tasks.push(Task::Bind(default));
        tasks.push(self.region_to(op, 0, &results, Some(end))?);
        tasks.push(Task::Bind(end));
        self.emit(
            OpClass::Control,
            Inst::Switch(Box::new(Switch {
                on,
                cases,
                default: default.0,
            })),
        );
        self.plan(tasks);
        Ok(())
    }
}

/// Whether the body of a loop allocates on the stack, which then ends with each
/// iteration.
fn has_alloca(ctx: &Context, op: Op) -> bool {
    let body = op.blocks(ctx).into_iter().flat_map(|b| b.ops(ctx));
    body.into_iter()
        .any(|o| o.name(ctx) == memref::AllocaOp::NAME)
}
