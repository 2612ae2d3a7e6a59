//! `affine`: loops and conditions by maps and sets, and accesses through maps.

use super::loops::Dim;
use super::{Decoder, Task, Yield, attrs};
use crate::interp::affine::AffineCode;
use crate::interp::code::{Dma, Inst, MemoryInst, OpClass, Slot, VectorInst};
use crate::interp::error::{Fault, Run};
use crate::interp::value::{Elem, Value, VectorValue};
use std::rc::Rc;
use terrace_ir::affine::AffineMap;
use terrace_ir::{Attr, AttrData, Op};

impl Decoder<'_> {
    pub(super) fn affine(&mut self, op: Op, name: &str) -> Run<()> {
        match name {
            "for" => self.affine_for(op),
            "parallel" => self.affine_parallel(op),
            "if" => self.affine_if(op),
            "scope" => self.once(op),
            "apply" => {
                let operands = self.operands_from(op, 0);
                let codes = self.map(self.map_attr(op, "map")?, &operands)?;
                let dst = self.result(op, 0)?;
                let expr = codes.first().ok_or("has a map without results")?.clone();
                self.emit(
                    OpClass::Affine,
                    Inst::Affine {
                        dst,
                        expr: Box::new(expr),
                    },
                );
                Ok(())
            }
            "min" | "max" => {
                let operands = self.operands_from(op, 0);
                let exprs = self.map(self.map_attr(op, "map")?, &operands)?;
                let dst = self.result(op, 0)?;
                self.emit(
                    OpClass::Affine,
                    Inst::AffineBest {
                        dst,
                        greatest: name == "max",
                        exprs,
                    },
                );
                Ok(())
            }
            "load" => {
                let (memref, indices) = self.subscripts(op, 0)?;
                let dst = self.result(op, 0)?;
                self.emit(
                    OpClass::Load,
                    Inst::AffineLoad {
                        dst,
                        memref,
                        indices,
                    },
                );
                Ok(())
            }
            "store" => {
                let value = self.operand(op, 0)?;
                let (memref, indices) = self.subscripts(op, 1)?;
                self.emit(
                    OpClass::Store,
                    Inst::AffineStore {
                        value,
                        memref,
                        indices,
                    },
                );
                Ok(())
            }
            "vector_load" => self.affine_vector_load(op),
            "vector_store" => self.affine_vector_store(op),
            "yield" => self.yield_values(op),
            "prefetch" | "dma_wait" => Ok(()),
            "dma_start" => self.affine_dma(op),
            "delinearize_index" => self.delinearize_index(op),
            "linearize_index" => self.linearize_index(op),
            _ => Err(self.unknown(op)),
        }
    }

    fn affine_if(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
        let set = op
            .attr(ctx, "condition")
            .and_then(|a| a.as_set(ctx))
            .ok_or("lacks a condition")?;
        let operands = self.operands_from(op, 0);
        if operands.len() != set.num_inputs() {
            return Err("the number of operands is not that of the set's inputs".into());
        }
        let (dims, symbols) = operands.split_at(set.num_dims() as usize);
        let code = |e| AffineCode::new(e, dims, symbols);
        let constraints = set
            .constraints()
            .iter()
            .map(|c| (code(&c.expr), c.is_eq))
            .collect();
        let otherwise = self.label();
        self.emit(
            OpClass::Control,
            Inst::AffineUnless {
                constraints,
                to: otherwise.0,
            },
        );
        self.two_ways(op, otherwise)
    }

    fn affine_vector_load(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
        let (memref, indices) = self.subscripts(op, 0)?;
        let (shape, elem) = self.vector_type(op.result(ctx, 0).ty(ctx))?;
        let dst = self.result(op, 0)?;
        let inst = VectorInst::Load {
            memref,
            indices,
            shape,
            elem,
            dst,
        };
        self.emit(OpClass::Load, Inst::Vector(Box::new(inst)));
        Ok(())
    }

    fn affine_vector_store(&mut self, op: Op) -> Run<()> {
        let value = self.operand(op, 0)?;
        let (memref, indices) = self.subscripts(op, 1)?;
        let inst = VectorInst::Store {
            memref,
            indices,
            value,
        };
        self.emit(OpClass::Store, Inst::Vector(Box::new(inst)));
        Ok(())
    }

    fn delinearize_index(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
        let operands = self.operands_from(op, 0);
        let (linear, dynamic) = operands.split_first().ok_or("lacks an index")?;
        let basis = self.mixed(&attrs::i64s(ctx, op, "static_basis")?, dynamic)?;
        let dst = self.results(op).into();
        let outer_bound = basis.len() == op.num_results(ctx);
        let inst = MemoryInst::Delinearize {
            linear: *linear,
            basis,
            outer_bound,
            dst,
        };
        self.emit(OpClass::Affine, Inst::Memory(Box::new(inst)));
        Ok(())
    }

    fn linearize_index(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
        let groups = self.segments(op, 2)?;
        let basis = self.mixed(&attrs::i64s(ctx, op, "static_basis")?, &groups[1])?;
        let indices = groups[0].clone().into();
        let disjoint = op.attr(ctx, "disjoint").is_some();
        let dst = self.result(op, 0)?;
        let inst = MemoryInst::Linearize {
            indices,
            basis,
            disjoint,
            dst,
        };
        self.emit(OpClass::Affine, Inst::Memory(Box::new(inst)));
        Ok(())
    }

    /// The memref that is operand `at`, and its subscripts by the op's map.
    fn subscripts(&mut self, op: Op, at: usize) -> Run<(Slot, Box<[AffineCode]>)> {
        let memref = self.operand(op, at)?;
        let operands = self.operands_from(op, at + 1);
        let indices = self.map(self.map_attr(op, "map")?, &operands)?;
        Ok((memref, indices))
    }

    /// The slot of the greatest or least result of a bound's map.
    fn bound(&mut self, map: &AffineMap, operands: &[Slot], greatest: bool) -> Run<Slot> {
        let exprs = self.map(map, operands)?;
        let dst = match &exprs[..] {
            [] => return Err("has a bound without results".into()),
            [AffineCode::Slot(s)] => return Ok(*s),
            [e] => {
                let (dst, expr) = (self.temp(), Box::new(e.clone()));
                self.emit(OpClass::None, Inst::Affine { dst, expr });
                dst
            }
            _ => {
                let dst = self.temp();
                self.emit(
                    OpClass::None,
                    Inst::AffineBest {
                        dst,
                        greatest,
                        exprs,
                    },
                );
                dst
            }
        };
        Ok(dst)
    }

    fn affine_for(&mut self, op: Op) -> Run<()> {
        let groups = self.segments(op, 3)?;
        let lower = self.bound(self.map_attr(op, "lowerBoundMap")?, &groups[0], true)?;
        let upper = self.bound(self.map_attr(op, "upperBoundMap")?, &groups[1], false)?;
        let step = op
            .int_attr(self.ctx, "step")
            .filter(|s| *s > 0)
            .ok_or("lacks a positive step")?;
        let step = self.constant(Value::Index(step));
        let args = self.block_args(op, 0)?;
        let (iv, carried) = args.split_first().ok_or("lacks a loop variable")?;
        let dim = Dim {
            iv: *iv,
            lower,
            upper,
            step,
            unsigned: false,
        };
        self.counted_loop(op, dim, &groups[2], carried)
    }

    fn affine_parallel(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
        let operands = self.operands_from(op, 0);
        let (lower, upper) = (
            self.map_attr(op, "lowerBoundsMap")?,
            self.map_attr(op, "upperBoundsMap")?,
        );
        if operands.len() < lower.num_inputs() {
            return Err("lacks operands of its bounds".into());
        }
        let (lows, highs) = operands.split_at(lower.num_inputs());
        let steps = attrs::i64s(ctx, op, "steps")?;
        let ivs = self.block_args(op, 0)?;
        let lower = self.grouped(op, "lowerBoundsGroups", lower, lows, true)?;
        let upper = self.grouped(op, "upperBoundsGroups", upper, highs, false)?;
        if lower.len() != ivs.len() || upper.len() != ivs.len() || steps.len() != ivs.len() {
            return Err("the numbers of bounds, steps and loop variables differ".into());
        }
        let mut dims = Vec::new();
        for (k, &iv) in ivs.iter().enumerate() {
            let step = self.constant(Value::Index(steps[k]));
            self.emit(
                OpClass::None,
                Inst::CheckStep {
                    step,
                    unsigned: false,
                },
            );
            dims.push(Dim {
                iv,
                lower: lower[k],
                upper: upper[k],
                step,
                unsigned: false,
            });
        }
        let kinds: Vec<i64> = op
            .attr(ctx, "reductions")
            .and_then(|a| a.as_i64_array(ctx))
            .unwrap_or_default();
        let results = self.results(op);
        if kinds.len() != results.len() {
            return Err("the numbers of reductions and results differ".into());
        }
        let mut combine = Vec::new();
        for (k, kind) in kinds.iter().enumerate() {
            let kind = attrs::atomic_kind(*kind)?;
            let ty = op.result(ctx, k).ty(ctx);
            let elem = self.elem(ty)?;
            let value = attrs::neutral(kind, elem)?;
            let value = match ty.is_vector(ctx) {
                false => value,
                true => {
                    let (shape, elem) = self.vector_type(ty)?;
                    let lanes = vec![value; shape.iter().product::<i64>() as usize];
                    let shape = shape.to_vec();
                    Value::Vector(Rc::new(VectorValue { shape, elem, lanes }))
                }
            };
            self.emit(
                OpClass::None,
                Inst::Const {
                    dst: results[k],
                    value,
                },
            );
            combine.push(kind);
        }
        let region = op.regions(ctx).first().copied().ok_or("lacks a body")?;
        let body = Task::Region(region, Rc::new(Yield::Reduce(combine, results)));
        self.nest(op, &dims, body, Self::then(|_| Ok(())));
        Ok(())
    }

    /// The bounds of `affine.parallel`: of the map's results each group gives one.
    fn grouped(
        &mut self,
        op: Op,
        name: &str,
        map: &AffineMap,
        operands: &[Slot],
        greatest: bool,
    ) -> Run<Vec<Slot>> {
        let sizes = op.attr(self.ctx, name).and_then(|a| int_elements(self, a));
        let sizes = sizes.ok_or_else(|| Fault::new(format!("lacks '{name}'")))?;
        let mut at = 0usize;
        let mut bounds = Vec::new();
        for n in sizes {
            let n = usize::try_from(n).map_err(|_| "has a negative group")?;
            if at + n > map.num_results() {
                return Err("has groups that do not fit the map".into());
            }
            let part = map.sub_map(&(at..at + n).collect::<Vec<_>>());
            bounds.push(self.bound(&part, operands, greatest)?);
            at += n;
        }
        Ok(bounds)
    }

    /// `affine.dma_start`: source, target and tag with their maps, a count, and for a
    /// strided transfer the stride and the elements of a run.
    fn affine_dma(&mut self, op: Op) -> Run<()> {
        let mut at = 0;
        let mut side = |this: &mut Self, name: &str| -> Run<(Slot, Box<[AffineCode]>)> {
            let map = this.map_attr(op, name)?;
            let memref = this.operand(op, at)?;
            let operands = this.operands_from(op, at + 1);
            let operands = operands.get(..map.num_inputs()).ok_or("lacks operands")?;
            at += 1 + map.num_inputs();
            Ok((memref, this.map(map, operands)?))
        };
        let source = side(self, "src_map")?;
        let target = side(self, "dst_map")?;
        side(self, "tag_map")?;
        let rest = self.operands_from(op, at);
        self.dma(op, source, target, &rest)
    }

    pub(super) fn dma(
        &mut self,
        op: Op,
        source: (Slot, Box<[AffineCode]>),
        target: (Slot, Box<[AffineCode]>),
        rest: &[Slot],
    ) -> Run<()> {
        let (count, strided) =
            match rest {
                [count] => (*count, None),
                [count, stride, run] => (*count, Some((*stride, *run))),
                _ => return Err(
                    "takes a number of elements, and perhaps a stride and the elements of a run"
                        .into(),
                ),
            };
        // The strided side is the one in the slower memory, that of the lower number.
        let spaces: Vec<i64> = op
            .operand_types(self.ctx)
            .iter()
            .filter_map(|t| t.memref_parts(self.ctx))
            .map(|(_, space)| space.and_then(|s| s.as_i64(self.ctx)).unwrap_or(0))
            .collect();
        let source_is_strided = spaces.first() <= spaces.get(1);
        let dma = Dma {
            source,
            target,
            count,
            strided,
            source_is_strided,
        };
        self.emit(
            OpClass::Memory,
            Inst::Memory(Box::new(MemoryInst::Dma(dma))),
        );
        Ok(())
    }
}

fn int_elements(d: &Decoder, a: Attr) -> Option<Vec<i64>> {
    let AttrData::Dense { ty, .. } = a.data(d.ctx) else {
        return a.as_i64_array(d.ctx);
    };
    let elem = Elem::of(d.ctx, ty.element(d.ctx)?)?;
    attrs::dense(d.ctx, a, elem)?
        .iter()
        .map(Value::as_i64)
        .collect()
}
