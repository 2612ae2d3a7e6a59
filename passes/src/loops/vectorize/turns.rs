//! Accesses that no register makes as they are, but with its lanes in another order: elements that
//! are run through backwards, and loads of numbers that stand in turn.
//!
//! ```text
//! %x = affine.load %a[%n - %i]          %0 = vector.transfer_read %a[%n - %i - 3]
//!                                  =>   %x = vector.shuffle %0, %0 [3, 2, 1, 0]
//!
//! %r = affine.load %a[%i * 2]           %0 = vector.transfer_read %a[%i * 2] : vector<8xf32>
//! %s = affine.load %a[%i * 2 + 1]  =>   %r = vector.shuffle %0, %0 [0, 2, 4, 6]
//!                                       %s = vector.shuffle %0, %0 [1, 3, 5, 7]
//! ```
//!
//! Of numbers in turn, such as the three of a pixel, all have to be loaded: then a vector holds no
//! element that the program does not ask for (D. Nuzman, I. Rosen, A. Zaks, "Auto-vectorization of
//! interleaved data for SIMD", 2006).

use crate::analysis::intervening::{Effect, may_intervene};
use crate::analysis::subscript::Subscript;
use rustc_hash::FxHashMap;
use terrace_dialects::affine::{Access, AccessKind, ForOp};
use terrace_dialects::memref::layout::strides_and_offset;
use terrace_ir::{Context, Op, Value};

/// How the accesses in the body of a loop move with lanes in another order.
#[derive(Debug, Default)]
pub struct Turns {
    in_turn: FxHashMap<Op, InTurn>,
}

/// One load of several that together load all elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InTurn {
    /// The load that comes first in the text.
    pub leader: Op,
    /// The load of the first element.
    pub base: Op,
    /// How many there are, which is how far each moves.
    pub step: i64,
    /// Which of them it is.
    pub offset: i64,
}

impl InTurn {
    /// How much work it is to take these lanes out of vectors that hold all of them, in
    /// instructions for each register, where a lane has so many bits.
    pub fn instructions(self, bits: u32) -> f64 {
        let narrow = bits < 32;
        match self.step {
            3 => f64::from(2 * (128 / bits).ilog2()),
            2 => {
                if narrow {
                    4.0
                } else {
                    1.0
                }
            }
            _ => {
                if narrow {
                    6.0
                } else {
                    1.5
                }
            }
        }
    }
}

/// The instructions that put the lanes of a register of so many bits the other way round.
pub fn instructions_to_reverse(bits: u32) -> f64 {
    match bits {
        8 => 6.0,
        16 => 3.0,
        _ => 1.0,
    }
}

impl Turns {
    /// Those of the accesses in the body of `l`, but not of loops and conditions inside.
    pub fn of(ctx: &Context, l: ForOp) -> Turns {
        let mut turns = Turns::default();
        let mut groups: Vec<Group> = Vec::new();
        for op in l.body(ctx).ops(ctx) {
            if let Some((key, at)) = strided(ctx, op, l) {
                match groups.iter_mut().find(|g| g.key.is(&key)) {
                    Some(group) => group.loads.push((at, op)),
                    None => groups.push(Group {
                        key,
                        loads: vec![(at, op)],
                    }),
                }
            }
        }
        for mut group in groups {
            let step = group.key.step;
            group.loads.sort_by_key(|(at, _)| *at);
            let mut rest = &group.loads[..];
            while let [(first, _), ..] = rest {
                let n = step as usize;
                let all = rest.get(..n).unwrap_or(&[]);
                let each = all.iter().zip(*first..);
                if all.len() < n || !each.clone().all(|((at, _), want)| *at == want) {
                    rest = &rest[1..];
                    continue;
                }
                turns.join(ctx, all, step);
                rest = &rest[n..];
            }
        }
        turns
    }

    /// The load as one of several, where it is one.
    pub fn in_turn(&self, op: Op) -> Option<InTurn> {
        self.in_turn.get(&op).copied()
    }

    fn join(&mut self, ctx: &Context, all: &[(i64, Op)], step: i64) {
        let leader = all
            .iter()
            .map(|(_, op)| *op)
            .reduce(|a, b| match b.is_before(ctx, a) {
                true => b,
                false => a,
            });
        let (Some(leader), Some((_, base))) = (leader, all.first()) else {
            return;
        };
        let unchanged = all.iter().filter(|(_, op)| *op != leader).all(|(_, op)| {
            Access::of(ctx, *op)
                .is_some_and(|a| !may_intervene(ctx, leader, *op, &a, Effect::Writes))
        });
        if !unchanged {
            return;
        }
        for ((_, op), offset) in all.iter().zip(0..) {
            let one = InTurn {
                leader,
                base: *base,
                step,
                offset,
            };
            self.in_turn.insert(*op, one);
        }
    }
}

/// Loads that differ in a constant alone.
struct Group {
    key: Key,
    /// With the constant of the last subscript.
    loads: Vec<(i64, Op)>,
}

struct Key {
    memref: Value,
    step: i64,
    /// The subscripts, the last one without its constant.
    subscripts: Vec<Subscript>,
}

impl Key {
    fn is(&self, other: &Key) -> bool {
        let mut alike = self.subscripts.iter().zip(&other.subscripts);
        self.memref == other.memref && self.step == other.step && alike.all(|(a, b)| a.is(b))
    }
}

/// A load that moves by a few elements from one iteration of `l` to the next, and where it is.
fn strided(ctx: &Context, op: Op, l: ForOp) -> Option<(Key, i64)> {
    let access = Access::of(ctx, op).filter(|a| a.kind == AccessKind::Read)?;
    let (mut subscripts, step) = moves_along(ctx, &access, l)?;
    if !(2..=4).contains(&step) {
        return None;
    }
    let Some(Subscript::Linear(last)) = subscripts.last_mut() else {
        return None;
    };
    let at = std::mem::take(&mut last.constant);
    let key = Key {
        memref: access.memref,
        step,
        subscripts,
    };
    Some((key, at))
}

/// Whether an access goes back by one element from one iteration of `l` to the next.
pub fn goes_back(ctx: &Context, access: &Access, l: ForOp) -> bool {
    moves_along(ctx, access, l).is_some_and(|(_, step)| step == -1)
}

/// The subscripts of an access, of which the last one alone moves with `l`, and how far.
fn moves_along(ctx: &Context, access: &Access, l: ForOp) -> Option<(Vec<Subscript>, i64)> {
    if access.vector.is_some() || access.kind == AccessKind::Prefetch {
        return None;
    }
    let subscripts = Subscript::all_of(ctx, access);
    let iv = l.iv(ctx);
    let (last, others) = subscripts.split_last()?;
    let layout = strides_and_offset(ctx, access.memref.ty(ctx))?;
    let alone = others.iter().all(|s| s.growth(iv) == Some(0));
    let step = last.growth(iv)?;
    (alone && layout.strides.last() == Some(&1)).then_some((subscripts, step))
}
