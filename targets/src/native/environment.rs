//! What a function of its own gets of the values around the op that it was made of: their machine
//! values, in memory.

use super::abi::{Desc, Part, Repr, Scalar, Val};
use super::func::{load_words, store_words, total_bytes};
use super::lower::{Lower, R};
use cranelift_codegen::ir;
use rustc_hash::FxHashSet;
use std::rc::Rc;
use terrace_dialects::arith;
use terrace_ir::{Context, Op, Value};

/// What a function made of an op has of the values around it.
#[derive(Debug)]
pub(super) struct Environment {
    /// What stands for each captured value; machine values are `None` here and are
    /// loaded in this order.
    captures: Vec<(Value, Shape)>,
    /// The machine types in memory.
    types: Vec<ir::Type>,
    /// Constants to make again.
    constants: Vec<Op>,
}

impl Environment {
    /// What `op` uses from outside, and its machine values.
    pub fn of(l: &Lower, op: Op) -> R<(Environment, Vec<ir::Value>)> {
        let (captured, constants) = captures(l.ctx, op);
        let (mut values, mut shapes) = (Vec::new(), Vec::new());
        for v in captured {
            let shape = shape(l, &l.val(v)?, &mut values);
            shapes.push((v, shape));
        }
        let environment = Environment {
            captures: shapes,
            types: value_types(l, &values),
            constants,
        };
        Ok((environment, values))
    }

    /// Puts machine values behind those there are.
    pub fn extend(&mut self, l: &Lower, values: &[ir::Value]) {
        self.types.extend(value_types(l, values));
    }

    /// Its bytes in memory.
    pub fn bytes(&self) -> u32 {
        total_bytes(&self.types)
    }

    /// In the function: binds what lies at `env`. Gives the machine values behind it.
    pub fn bind(&self, l: &mut Lower, env: ir::Value) -> R<Vec<ir::Value>> {
        for c in &self.constants {
            l.op(*c);
        }
        let words = self.words(l, env)?;
        let mut at = 0;
        for (v, s) in &self.captures {
            let mut val = restore(l, s, &words, &mut at).ok_or("has too small an environment")?;
            if let (Val::Many(all), Repr::Vector(lanes)) = (&val, l.repr_of(*v)?) {
                val = Val::Many(all[..lanes.registers()].into());
            }
            l.bind(*v, val);
        }
        Ok(words[at..].to_vec())
    }
}

impl Environment {
    /// All machine values. A vector may be in fewer registers than around the op, of which the last
    /// one stands for those that are missing.
    fn words(&self, l: &mut Lower, env: ir::Value) -> R<Vec<ir::Value>> {
        let mut words = Vec::new();
        let mut bytes = 0;
        let some = |l: &mut Lower, tys: &[ir::Type], bytes: &mut u32| {
            let from = super::fields::behind(l, env, i64::from(*bytes));
            *bytes += total_bytes(tys);
            load_words(l, tys, from)
        };
        for (v, shape) in &self.captures {
            let first = words.len();
            let count = shape.num_values();
            let all = match (shape, l.repr_of(*v)?) {
                (Shape::Many(_), Repr::Vector(lanes)) => {
                    let mut all = some(l, &vec![lanes.clif(); lanes.registers()], &mut bytes);
                    let last = *all.last().ok_or("has a vector without registers")?;
                    all.resize(count, last);
                    all
                }
                _ => some(l, &self.types[first..first + count], &mut bytes),
            };
            words.extend(all);
        }
        let rest = some(l, &self.types[words.len()..], &mut bytes);
        words.extend(rest);
        Ok(words)
    }
}

impl Shape {
    /// How many machine values it stands for, before any are put together.
    fn num_values(&self) -> usize {
        match self {
            Shape::One => 1,
            Shape::Many(n) => *n,
            Shape::Mem { beside, parts, .. } => {
                usize::from(beside.is_none()) + parts.iter().filter(|p| p.is_none()).count()
            }
        }
    }
}

/// A captured value without its machine values.
#[derive(Debug)]
enum Shape {
    One,
    Many(usize),
    Mem {
        elem: Scalar,
        /// A machine value before, and how far behind it the memory begins; else it is loaded.
        beside: Option<(usize, i64)>,
        /// Offset, sizes, strides; `None` for what is loaded.
        parts: Vec<Option<i64>>,
    },
}

pub(super) fn value_types(l: &Lower, vs: &[ir::Value]) -> Vec<ir::Type> {
    vs.iter().map(|v| l.b.func.dfg.value_type(*v)).collect()
}

/// The environment on the stack.
pub(super) fn pack(l: &mut Lower, values: &[ir::Value]) -> ir::Value {
    let tys = value_types(l, values);
    let slot = l.slot(total_bytes(&tys).max(8), 4);
    let env = l.slot_addr(slot);
    store_words(l, values, env);
    env
}

/// The values that an op's regions use from outside, and the constants among them.
fn captures(ctx: &Context, op: Op) -> (Vec<Value>, Vec<Op>) {
    let mut inside: FxHashSet<Value> = FxHashSet::default();
    op.walk(ctx, &mut |o| {
        if o != op {
            inside.extend(o.results(ctx));
        }
        for r in o.regions(ctx) {
            for b in r.blocks(ctx) {
                inside.extend(b.args(ctx));
            }
        }
    });
    let (mut values, mut constants) = (Vec::new(), Vec::new());
    let mut seen: FxHashSet<Value> = FxHashSet::default();
    let mut take = |v: Value| {
        if inside.contains(&v) || !seen.insert(v) {
            return;
        }
        match v.def_op() {
            Some(d) if d.name(ctx) == arith::ConstantOp::NAME => constants.push(d),
            _ => values.push(v),
        }
    };
    op.walk(ctx, &mut |o| {
        o.operands(ctx).into_iter().for_each(&mut take)
    });
    (values, constants)
}

/// Put the machine values of `v` behind `values`.
fn shape(l: &Lower, v: &Val, values: &mut Vec<ir::Value>) -> Shape {
    match v {
        Val::One(x) => {
            values.push(*x);
            Shape::One
        }
        Val::Many(all) => {
            values.extend(all.iter());
            Shape::Many(all.len())
        }
        Val::Mem(d) => {
            let beside = super::fields::beside(&l.b.func.dfg, d.ptr)
                .and_then(|(first, bytes)| Some((values.iter().position(|v| *v == first)?, bytes)));
            if beside.is_none() {
                values.push(d.ptr);
            }
            let parts = std::iter::once(&d.offset).chain(&d.sizes).chain(&d.strides);
            let parts = parts
                .map(|p| match p {
                    Part::Const(c) => Some(*c),
                    Part::Val(x) => {
                        values.push(*x);
                        None
                    }
                })
                .collect();
            Shape::Mem {
                elem: d.elem,
                beside,
                parts,
            }
        }
    }
}

/// The inverse of [`shape`].
fn restore(l: &mut Lower, shape: &Shape, words: &[ir::Value], at: &mut usize) -> Option<Val> {
    let mut values = words[*at..].iter().copied();
    let val = match shape {
        Shape::One => Val::One(values.next()?),
        Shape::Many(n) => {
            let all = (0..*n).map(|_| values.next());
            Val::Many(all.collect::<Option<_>>()?)
        }
        Shape::Mem {
            elem,
            beside,
            parts,
        } => {
            let ptr = match beside {
                Some((first, bytes)) => super::fields::behind(l, *words.get(*first)?, *bytes),
                None => values.next()?,
            };
            let parts: Vec<Part> = parts
                .iter()
                .map(|p| match p {
                    Some(c) => Some(Part::Const(*c)),
                    None => values.next().map(Part::Val),
                })
                .collect::<Option<_>>()?;
            let rank = parts.len() / 2;
            Val::Mem(Rc::new(Desc {
                elem: *elem,
                ptr,
                offset: parts[0],
                sizes: parts[1..=rank].to_vec(),
                strides: parts[1 + rank..].to_vec(),
            }))
        }
    };
    *at = words.len() - values.len();
    Some(val)
}
