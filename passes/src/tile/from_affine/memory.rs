//! What of memory a block holds in tiles, so that it need not be loaded again, and which stores
//! nobody sees.

use super::subscripts::Subscripts;
use crate::analysis::memory::{base, may_be_same};
use terrace_ir::{Context, Op, Value};

/// The place of a tile in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    pub memref: Value,
    pub subscripts: Subscripts,
}

#[derive(Debug, Clone)]
struct Entry {
    key: Key,
    /// The tile or number that is there.
    value: Value,
    /// Where its elements begin, along the axis of the row. All rows share the end.
    from: i64,
    /// The op that stored it, as long as nothing else may have read it.
    store: Option<Op>,
}

/// The elements that are held.
#[derive(Debug, Default)]
pub(super) struct Memory {
    entries: Vec<Entry>,
}

impl Memory {
    /// The tile at `key`, which must have all elements from `from` on.
    pub fn find(&self, key: &Key, from: i64) -> Option<Value> {
        let has = |e: &&Entry| e.key == *key && e.from <= from;
        self.entries.iter().find(has).map(|e| e.value)
    }

    /// Notes that something of `memref` was read: what was stored there was needed.
    pub fn read(&mut self, ctx: &Context, memref: Value) {
        let read = base(ctx, memref);
        for e in &mut self.entries {
            if may_be_same(ctx, base(ctx, e.key.memref), read) {
                e.store = None;
            }
        }
    }

    /// Notes that `value` was loaded.
    pub fn loaded(&mut self, ctx: &Context, key: Key, value: Value, from: i64) {
        self.read(ctx, key.memref);
        self.entries.retain(|e| e.key != key);
        let store = None;
        let entry = Entry {
            key,
            value,
            from,
            store,
        };
        self.entries.push(entry);
    }

    /// Notes that `op` stored `value`; gives a store that it makes needless.
    pub fn stored(
        &mut self,
        ctx: &Context,
        key: Key,
        value: Value,
        from: i64,
        op: Op,
    ) -> Option<Op> {
        let at = self
            .entries
            .iter()
            .position(|e| e.key == key && e.store.is_some());
        let needless = at
            .filter(|i| from <= self.entries[*i].from)
            .and_then(|i| self.entries[i].store);
        let written = base(ctx, key.memref);
        self.entries
            .retain(|e| !may_be_same(ctx, base(ctx, e.key.memref), written));
        let store = Some(op);
        let entry = Entry {
            key,
            value,
            from,
            store,
        };
        self.entries.push(entry);
        needless
    }

    /// Notes that some elements at `key` were stored, and that `new` is there now where what was
    /// there was known. It makes no store needless, and needs one that was made before.
    pub fn stored_in_part(&mut self, ctx: &Context, key: &Key, new: Option<Value>, from: i64) {
        let written = base(ctx, key.memref);
        self.entries.retain_mut(|e| {
            let known = new.filter(|_| e.key == *key && from <= e.from);
            if let Some(value) = known {
                (e.value, e.store) = (value, None);
            }
            known.is_some() || !may_be_same(ctx, base(ctx, e.key.memref), written)
        });
    }

    /// Forgets all: what comes next is done many times, or was.
    pub fn forget(&mut self) {
        self.entries.clear();
    }
}
