//! Which accesses of two ops must not run at the same time.

use super::super::pairs;
use super::super::uses::{
    DEVICE_READ, DEVICE_WRITE, FREED, HOST_READ, HOST_WRITE, Summaries, Target, Use, Ways,
    memory_of,
};
use crate::analysis::captured::is_in_body;
use crate::analysis::memory::base;
use crate::xfer::check::effects;
use rustc_hash::FxHashMap;
use terrace_dialects::xfer::{EnsureOp, PrefetchOp, PresentOp, Side};
use terrace_dialects::{gpu, xfer};
use terrace_ir::{Context, Op, Value};

/// A use of memory that an op which may still run uses.
#[derive(Debug, Clone, Copy)]
pub(in crate::xfer::check) struct Clash {
    pub site: usize,
    /// The op, or one inside, that uses it.
    pub at: Op,
    pub array: Value,
    /// What is done by the op, and what the other may do.
    pub here: &'static str,
    pub there: &'static str,
}

/// The accesses of an op to memory: not what it says of arrays.
pub(super) fn accesses(ctx: &Context, op: Op, summaries: &mut Summaries) -> Vec<Use> {
    let copy = |src: Value, dst: Value| {
        let one = |v: Value, host: Ways, device: Ways| {
            let b = base(ctx, v);
            let ways = match memory_of(ctx, b) {
                Side::Host => host,
                Side::Device => device,
            };
            let target = Target::Memory(b);
            Use {
                target,
                ways,
                at: op,
            }
        };
        vec![
            one(src, HOST_READ, DEVICE_READ),
            one(dst, HOST_WRITE, DEVICE_WRITE),
        ]
    };
    if let Some(p) = op.cast::<PrefetchOp>(ctx) {
        return copy(p.src(ctx), p.dst(ctx));
    }
    if let Some(e) = op.cast::<EnsureOp>(ctx) {
        return match e.sides(ctx) {
            [Side::Host] => copy(e.mirror(ctx), e.array(ctx)),
            _ => copy(e.array(ctx), e.mirror(ctx)),
        };
    }
    match op.name(ctx) {
        xfer::DiscardOp::NAME
        | xfer::MarkWrittenOp::NAME
        | xfer::AssertValidOp::NAME
        | xfer::WaitOp::NAME
        | gpu::WaitOp::NAME
        | xfer::CreateOp::NAME => return Vec::new(),
        _ => {}
    }
    let mut uses = Vec::new();
    summaries.all_uses(ctx, op, Side::Host, &mut uses);
    uses.retain(|u| match u.target {
        Target::Memory(v) => !(is_in_body(ctx, op, v) && effects::is_own(ctx, v)),
        _ => true,
    });
    uses
}

const WRITES: Ways = HOST_WRITE | DEVICE_WRITE | FREED;

const READS: Ways = HOST_READ | DEVICE_READ;

/// Which memory of a function may be the same. Kernels use few memrefs, each at many places.
pub(super) struct Memories {
    /// Whether the function is called: then two of its arguments may be one array, or a global.
    pub called: bool,
    known: FxHashMap<(Value, Value), bool>,
}

impl Memories {
    pub(super) fn new(called: bool) -> Memories {
        Memories {
            called,
            known: FxHashMap::default(),
        }
    }

    /// Whether two uses are of memory that may be the same, and one of them changes it.
    pub(super) fn clash(
        &mut self,
        ctx: &Context,
        a: &Use,
        b: &Use,
        summaries: &mut Summaries,
    ) -> bool {
        let uses = |u: &Use| u.ways & (WRITES | READS) != 0;
        if !uses(a) || !uses(b) || (a.ways | b.ways) & WRITES == 0 {
            return false;
        }
        match (a.target, b.target) {
            (Target::Memory(x), Target::Memory(y)) => match self.known.get(&(x, y)) {
                Some(known) => *known,
                None => {
                    let one = self.may_be_one(ctx, x, y);
                    self.known.insert((x, y), one);
                    one
                }
            },
            (Target::Global(x), Target::Global(y)) => x == y,
            (Target::Global(g), Target::Memory(v)) | (Target::Memory(v), Target::Global(g)) => {
                pairs::may_be_named(ctx, v, g) || self.called && pairs::may_be_argument(ctx, v)
            }
            (Target::Everything, Target::Memory(v)) | (Target::Memory(v), Target::Everything) => {
                pairs::is_reachable(ctx, v, summaries)
            }
            (Target::Everything, _) | (_, Target::Everything) => true,
        }
    }

    fn may_be_one(&self, ctx: &Context, x: Value, y: Value) -> bool {
        let outer = |x, y| pairs::may_be_argument(ctx, x) && pairs::may_be_outer(ctx, y);
        let alike = |x, y| self.called && (outer(x, y) || outer(y, x));
        let share = |x, y| pairs::may_share(ctx, x, y) || alike(x, y);
        let arrays = looked_up(ctx, x).zip(looked_up(ctx, y));
        memory_of(ctx, x) == memory_of(ctx, y)
            && share(x, y)
            && arrays.is_none_or(|(x, y)| share(x, y))
    }
}

/// The array whose buffer in the table of present arrays a memref is. Buffers of different
/// arrays are different memory.
fn looked_up(ctx: &Context, buffer: Value) -> Option<Value> {
    let present = buffer.def_op()?.cast::<PresentOp>(ctx)?;
    (!present.if_present(ctx)).then(|| base(ctx, present.array(ctx)))
}

pub(super) fn named(t: Target) -> Option<Value> {
    match t {
        Target::Memory(v) => Some(v),
        _ => None,
    }
}

pub(super) fn here(ways: Ways, other: Ways) -> &'static str {
    if ways & FREED != 0 {
        "frees"
    } else if ways & WRITES != 0 && (other & WRITES == 0 || ways & READS == 0) {
        "writes"
    } else if ways & WRITES == 0 {
        "reads"
    } else {
        "uses"
    }
}

pub(super) fn there(ways: Ways) -> &'static str {
    match (ways & WRITES != 0, ways & READS != 0) {
        (true, false) => "write",
        (false, _) => "read",
        (true, true) => "read and write",
    }
}
