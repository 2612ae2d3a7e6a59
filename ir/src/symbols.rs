//! Symbols: ops with a name that other ops refer to by attribute.
//!
//! A symbol lives directly in the block of a symbol table op. `@f` names the `f`
//! of the closest enclosing table; `@m::@f` the `f` in the table that is its `m`.

mod refs;
mod uses;

use refs::symbol_refs;
pub use uses::{SymbolUse, op_symbol_refs, symbol_is_used, symbol_uses};

use crate::attr::Attr;
use crate::context::{Context, Str};
use crate::op::Op;
use crate::opdef::traits;
use rustc_hash::FxHashMap;

/// Who may refer to a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// Anyone, also from outside the IR at hand.
    Public,
    /// Only ops in its table.
    Private,
    /// Ops in its table and in the tables that table is nested in.
    Nested,
}

impl Visibility {
    /// The word in the IR.
    pub const fn keyword(self) -> &'static str {
        match self {
            Visibility::Public => "public",
            Visibility::Private => "private",
            Visibility::Nested => "nested",
        }
    }
}

/// The attribute that holds a symbol's visibility; absent for public.
pub(crate) const VISIBILITY: &str = "sym_visibility";

/// The visibility of a symbol op; anything that is no visibility counts as public.
pub fn visibility(ctx: &Context, op: Op) -> Visibility {
    match op.str_attr(ctx, VISIBILITY) {
        Some("private") => Visibility::Private,
        Some("nested") => Visibility::Nested,
        _ => Visibility::Public,
    }
}

/// Change who may refer to a symbol op.
pub fn set_visibility(ctx: &Context, op: Op, v: Visibility) {
    match v {
        Visibility::Public => {
            op.remove_attr(ctx, VISIBILITY);
        }
        v => op.set_attr(ctx, VISIBILITY, ctx.string_attr(v.keyword())),
    }
}

/// Whether `op` is declared a symbol table.
pub fn is_symbol_table(ctx: &Context, op: Op) -> bool {
    op.has_trait(ctx, traits::SYMBOL_TABLE)
}

/// The closest symbol table that is `from` or holds it.
pub fn nearest_symbol_table(ctx: &Context, from: Op) -> Option<Op> {
    let mut op = from;
    while !is_symbol_table(ctx, op) {
        op = op.parent(ctx)?;
    }
    Some(op)
}

/// The symbol called `name` directly in `table`.
pub fn lookup_in(ctx: &Context, table: Op, name: &str) -> Option<Op> {
    if let Some(cache) = ctx.symbol_cache.borrow_mut().as_mut() {
        let names = cache.entry(table).or_insert_with(|| names_of(ctx, table));
        return names.get(name).copied();
    }
    first_block_ops(ctx, table).find(|o| o.symbol_name(ctx) == Some(name))
}

fn first_block_ops(ctx: &Context, table: Op) -> impl Iterator<Item = Op> {
    let block = match table.num_regions(ctx) {
        0 => None,
        _ => table.region(ctx, 0).entry(ctx),
    };
    std::iter::successors(block.and_then(|b| b.first_op(ctx)), move |o| o.next(ctx))
}

fn names_of(ctx: &Context, table: Op) -> FxHashMap<Box<str>, Op> {
    let mut names = FxHashMap::default();
    for op in first_block_ops(ctx, table) {
        if let Some(n) = op.symbol_name(ctx) {
            names.entry(n.into()).or_insert(op);
        }
    }
    names
}

/// The symbols directly inside tables, by name, kept while the IR does not change:
/// see [`with_cached_lookups`].
pub(crate) type SymbolCache = FxHashMap<Op, FxHashMap<Box<str>, Op>>;

/// Run `f`, which must not add, remove or rename symbols, with lookups that scan
/// each symbol table once only.
pub(crate) fn with_cached_lookups<R>(ctx: &Context, f: impl FnOnce() -> R) -> R {
    let outer = ctx.symbol_cache.replace(Some(SymbolCache::default()));
    let r = f();
    ctx.symbol_cache.replace(outer);
    r
}

/// The op that `path` names, its first part looked up in `table`.
pub fn lookup_path(ctx: &Context, table: Op, path: &[Str]) -> Option<Op> {
    let (first, rest) = path.split_first()?;
    let mut op = lookup_in(ctx, table, ctx.str(*first))?;
    for part in rest {
        if !is_symbol_table(ctx, op) {
            return None;
        }
        op = lookup_in(ctx, op, ctx.str(*part))?;
    }
    Some(op)
}

/// The op that the symbol reference `symbol` on `from` means.
pub fn lookup(ctx: &Context, from: Op, symbol: Attr) -> Option<Op> {
    lookup_path(
        ctx,
        nearest_symbol_table(ctx, from)?,
        symbol.as_symbol(ctx)?,
    )
}

/// The op that the flat reference `@name` on `from` means.
pub fn lookup_name(ctx: &Context, from: Op, name: &str) -> Option<Op> {
    lookup_in(ctx, nearest_symbol_table(ctx, from)?, name)
}

/// The symbols of one table by name, for passes that look up and add many.
#[derive(Debug, Clone)]
pub struct SymbolTable {
    /// The op that is the symbol table.
    pub op: Op,
    names: FxHashMap<Box<str>, Op>,
}

impl SymbolTable {
    /// The symbols directly in `table`, as they are now.
    pub fn new(ctx: &Context, table: Op) -> Self {
        SymbolTable {
            op: table,
            names: names_of(ctx, table),
        }
    }

    /// The symbol of this name.
    pub fn lookup(&self, name: &str) -> Option<Op> {
        self.names.get(name).copied()
    }

    /// `base`, or `base_N` with the least `N` that makes it new here.
    pub fn unique_name(&self, base: &str) -> String {
        if !self.names.contains_key(base) {
            return base.to_string();
        }
        let mut n = 0u64;
        loop {
            let name = format!("{base}_{n}");
            if !self.names.contains_key(name.as_str()) {
                return name;
            }
            n += 1;
        }
    }

    /// Add a symbol op, renaming it where its name is taken, and put it at the end
    /// of the table's block unless it is in a block already. Returns its name.
    pub fn insert(&mut self, ctx: &Context, symbol: Op) -> String {
        let wanted = symbol.symbol_name(ctx).unwrap_or("symbol").to_string();
        let name = match self.lookup(&wanted) {
            Some(other) if other != symbol => self.unique_name(&wanted),
            _ => wanted,
        };
        if symbol.symbol_name(ctx) != Some(&name) {
            symbol.set_attr(ctx, "sym_name", ctx.string_attr(&name));
        }
        if symbol.block(ctx).is_none()
            && let Some(block) = self.op.region(ctx, 0).entry(ctx)
        {
            match block.last_op(ctx).filter(|o| o.is_terminator(ctx)) {
                Some(end) => symbol.insert_before(ctx, end),
                None => block.push_back(ctx, symbol),
            }
        }
        self.names.insert(name.as_str().into(), symbol);
        name
    }

    /// Forget a symbol and erase its op.
    pub fn erase(&mut self, ctx: &mut Context, symbol: Op) {
        if let Some(n) = symbol.symbol_name(ctx)
            && self.names.get(n) == Some(&symbol)
        {
            self.names.remove(n);
        }
        symbol.erase(ctx);
    }
}
