//! Loops inside an element.
//!
//! ```text
//! %s = affine.for %k = 0 to %count iter_args(..)     // both numbers are the call's
//! %s = scf.for %k = %from to %to iter_args(..)       // numbers that are computed
//! ```

use super::{Lowering, to_index};
use crate::lower::scalar::number_type;
use crate::program::{Op as ValueOp, Program};
use rustc_hash::FxHashMap;
use terrace_dialects::affine::ForOp;
use terrace_dialects::{arith, scf};
use terrace_ir::affine::AffineMap;
use terrace_ir::{Builder, OpKind, Value};

/// The parameters that say how often loops go round that count from 0, as bounds of loops.
pub(super) fn counts(
    b: &mut Builder,
    program: &Program,
    parameters: &[Value],
) -> FxHashMap<u32, Value> {
    let mut all = FxHashMap::default();
    for v in &program.values {
        let (ValueOp::Loop(_), [from, to, ..]) = (v.op, &v.operands[..]) else {
            continue;
        };
        let op = |k: u32| program.values[k as usize].op;
        if let (ValueOp::Constant(0), ValueOp::Parameter(n)) = (op(*from), op(*to)) {
            all.insert(n, to_index(b, parameters[n as usize]));
        }
    }
    all
}

impl Lowering<'_> {
    /// A loop; its value is that of its op's first result.
    pub(super) fn looped(
        &self,
        b: &mut Builder,
        k: usize,
        l: u32,
        open: &[u32],
        values: &mut [Option<Value>],
    ) {
        let [from, to, rest @ ..] = &self.program.values[k].operands[..] else {
            return;
        };
        let (start, next) = rest.split_at(rest.len() / 2);
        let start: Vec<Value> = start.iter().filter_map(|s| values[*s as usize]).collect();
        let loc = b.loc;
        let bounds = (values[*from as usize], values[*to as usize]);
        let body = |b: &mut Builder, counter: Value, carried: &[Value]| {
            for (j, v) in self.program.values.iter().enumerate() {
                match v.op {
                    ValueOp::Carried(of, n) if of == l => {
                        values[j] = carried.get(n as usize).copied();
                    }
                    ValueOp::Counter(of) if of == l => {
                        let t = number_type(b.ctx, v.ty);
                        values[j] = Some(b.value::<arith::IndexCastOp>(&[counter], t, &[]));
                    }
                    _ => {}
                }
            }
            self.inside(b, &[open, &[l]].concat(), values);
            next.iter().filter_map(|n| values[*n as usize]).collect()
        };
        let made = match (self.count(*from, *to), bounds) {
            (Some(count), _) => {
                let (from, to) = (AffineMap::constant(0), AffineMap::symbol_identity());
                ForOp::build(b, (from, &[]), (to, &[count]), 1, &start, body).op()
            }
            (None, (Some(from), Some(to))) => {
                let (from, to) = (to_index(b, from), to_index(b, to));
                let one = arith::constant_index(b, 1);
                scf::ForOp::build_with(b, (from, to, one), &start, body).op()
            }
            (None, _) => return,
        };
        b.loc = loc;
        values[k] = (!start.is_empty()).then(|| made.result(b.ctx, 0));
    }

    /// The number of iterations of a loop, which the function computed at its beginning.
    fn count(&self, from: u32, to: u32) -> Option<Value> {
        let op = |k: u32| self.program.values[k as usize].op;
        match (op(from), op(to)) {
            (ValueOp::Constant(0), ValueOp::Parameter(n)) => self.counts.get(&n).copied(),
            _ => None,
        }
    }
}
