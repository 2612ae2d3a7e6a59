//! One constant op per value, at the top of the region it is for.

use crate::attr::Attr;
use crate::block::{Block, Region};
use crate::context::Context;
use crate::loc::Loc;
use crate::op::Op;
use crate::opdef::traits;
use crate::types::Type;
use rustc_hash::{FxHashMap, FxHashSet};

/// Keeps constant ops unique: within each region that is isolated from above, one op
/// for each value and type of a dialect, in front of all other ops of the entry block.
#[derive(Debug, Default)]
pub struct ConstantFolder {
    known: FxHashMap<(Region, &'static str, Attr, Type), Op>,
    owned: FxHashSet<Op>,
}

/// Where the constants of ops in `block` go.
fn home(ctx: &Context, block: Block) -> Option<Region> {
    let mut region = block.region(ctx)?;
    loop {
        let op = region.parent_op(ctx);
        // Of an unregistered op nothing is known, so nothing moves out of it.
        let stays = op.def(ctx).is_none_or(|d| d.has(traits::ISOLATED));
        match op.region_of(ctx) {
            Some(outer) if !stays => region = outer,
            _ => return Some(region),
        }
    }
}

impl ConstantFolder {
    /// A folder that knows no constants yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Take note of a constant op. If its value is known already the op's uses now
    /// use the known one and the op is erased; else it is moved to where constants
    /// are. False where it was erased.
    pub fn insert(&mut self, ctx: &mut Context, op: Op, value: Attr) -> bool {
        let (Some(block), Some(def)) = (op.block(ctx), op.def(ctx)) else {
            return true;
        };
        if op.num_results(ctx) != 1 {
            return true;
        }
        if self.owned.contains(&op) {
            if block.first_op(ctx) != Some(op) && !self.follows_owned(ctx, op) {
                to_front(ctx, op, block);
            }
            return true;
        }
        let Some(region) = home(ctx, block) else {
            return true;
        };
        let Some(entry) = region.entry(ctx) else {
            return true;
        };
        let dialect = def.name.split('.').next().unwrap_or(def.name);
        let key = (region, dialect, value, op.result(ctx, 0).ty(ctx));
        if let Some(known) = self.known.get(&key).copied() {
            let with = known.results(ctx);
            op.replace(ctx, &with);
            // It now stands for several places.
            known.set_loc(ctx, Loc::Unknown);
            return false;
        }
        if block != entry {
            to_front(ctx, op, entry);
            op.set_loc(ctx, Loc::Unknown);
        } else if entry.first_op(ctx) != Some(op) && !self.follows_owned(ctx, op) {
            to_front(ctx, op, entry);
        }
        self.known.insert(key, op);
        self.owned.insert(op);
        true
    }

    fn follows_owned(&self, ctx: &Context, op: Op) -> bool {
        op.prev(ctx).is_some_and(|p| self.owned.contains(&p))
    }

    /// Forget an op that is about to be erased.
    pub fn forget(&mut self, op: Op) {
        if self.owned.remove(&op) {
            self.known.retain(|_, o| *o != op);
        }
    }
}

fn to_front(ctx: &Context, op: Op, block: Block) {
    op.unlink(ctx);
    block.push_front(ctx, op);
}
