//! What a thread has of a tile.

use rustc_hash::FxHashMap;
use std::rc::Rc;
use terrace_dialects::attributes::TILE_LAYOUT;
use terrace_ir::{Context, Op, Value};
use terrace_layout::{Layout, Resource};

use super::Unable;
use terrace_dialects::tile::ReduceOp;

/// The registers of a tile.
#[derive(Debug, Clone)]
pub(super) enum Registers {
    /// All elements are this one.
    All(Value),
    /// Register `i` has the element that the layout says.
    Each(Vec<Value>, Rc<Layout>),
}

impl Registers {
    /// What register `i` has.
    pub fn at(&self, i: usize) -> Option<Value> {
        match self {
            Registers::All(v) => Some(*v),
            Registers::Each(all, _) => all.get(i).copied(),
        }
    }

    /// Who holds what; `None` where all have all.
    pub fn layout(&self) -> Option<&Rc<Layout>> {
        match self {
            Registers::All(_) => None,
            Registers::Each(_, layout) => Some(layout),
        }
    }
}

/// Layouts by their texts, so that each is read once.
#[derive(Debug, Default)]
pub(super) struct Layouts {
    known: FxHashMap<String, Rc<Layout>>,
}

impl Layouts {
    /// The layout of the tile that `op` makes, or stores. A fold says that of what it folds, and
    /// its result has what is left of it.
    ///
    /// # Errors
    ///
    /// It says none, or its text is none.
    pub fn of(&mut self, ctx: &Context, op: Op) -> Result<Rc<Layout>, Unable> {
        let said = self.said(ctx, op)?;
        let Some(r) = op.cast::<ReduceOp>(ctx) else {
            return Ok(said);
        };
        let mut left = (*said).clone();
        for axis in r.axes(ctx).into_iter().rev() {
            left = left.drop_axis(axis).map_err(|e| {
                Unable::new(
                    op,
                    format!("folds along what its layout does not have: {e}"),
                )
            })?;
        }
        Ok(Rc::new(left))
    }

    /// The layout that `op` says; a fold need not, where what it folds has one.
    ///
    /// # Errors
    ///
    /// It says none, or its text is none.
    pub fn said(&mut self, ctx: &Context, op: Op) -> Result<Rc<Layout>, Unable> {
        if op.isa::<ReduceOp>(ctx) && op.str_attr(ctx, TILE_LAYOUT).is_none() {
            return self.behind(ctx, op.operand(ctx, 0), op);
        }
        let text = op.str_attr(ctx, TILE_LAYOUT);
        let text = text.ok_or_else(|| {
            Unable::new(
                op,
                "has no tile.layout, which says which threads hold its tile",
            )
        })?;
        if let Some(l) = self.known.get(text) {
            return Ok(l.clone());
        }
        let read = Layout::parse(text)
            .map_err(|e| Unable::new(op, format!("has a tile.layout that cannot be read: {e}")))?;
        let read = Rc::new(read);
        self.known.insert(text.to_string(), read.clone());
        Ok(read)
    }
}

impl Layouts {
    /// The layout of a tile: that of an op with a layout that it comes from by ops that work
    /// element by element.
    ///
    /// # Errors
    ///
    /// There is none; `user` is the op that asks.
    pub fn behind(&mut self, ctx: &Context, tile: Value, user: Op) -> Result<Rc<Layout>, Unable> {
        let mut todo = vec![tile];
        let mut seen: Vec<Value> = Vec::new();
        while let Some(v) = todo.pop() {
            if seen.contains(&v) {
                continue;
            }
            seen.push(v);
            let Some(def) = v.def_op() else {
                let around = v.arg_block().and_then(|b| b.parent_op(ctx));
                if let Some(l) = around.filter(|o| o.str_attr(ctx, TILE_LAYOUT).is_some()) {
                    return self.of(ctx, l);
                }
                // What a loop carries comes from what it yields.
                let last = v.arg_block().and_then(|b| b.last_op(ctx));
                let n = v.index(ctx).checked_sub(1);
                todo.extend(
                    last.zip(n)
                        .and_then(|(o, n)| o.operands(ctx).get(n).copied()),
                );
                continue;
            };
            if def.str_attr(ctx, TILE_LAYOUT).is_some() {
                return self.of(ctx, def);
            }
            if def.num_regions(ctx) > 0 {
                let last = def
                    .region(ctx, 0)
                    .blocks(ctx)
                    .first()
                    .and_then(|b| b.last_op(ctx));
                todo.extend(last.and_then(|o| o.operands(ctx).get(v.index(ctx)).copied()));
                continue;
            }
            todo.extend((def.operands(ctx).into_iter()).filter(|v| v.ty(ctx).is_vector(ctx)));
        }
        Err(Unable::new(
            user,
            "has a tile of which nothing says which threads hold it",
        ))
    }
}

/// What register `i` adds to the coordinates of a thread's elements.
pub(super) fn coordinates(layout: &Layout, i: usize) -> Vec<i64> {
    layout.part(Resource::Reg, i).to_vec()
}
