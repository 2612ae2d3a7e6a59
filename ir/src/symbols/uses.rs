//! Who refers to a symbol.

use super::{is_symbol_table, symbol_refs};
use crate::attr::Attr;
use crate::context::{Context, Str};
use crate::op::Op;

/// A reference to a symbol: an attribute somewhere on `op`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SymbolUse {
    /// The op that has the attribute.
    pub op: Op,
    /// The whole reference, of which the symbol may be a part that is not the last.
    pub symbol: Attr,
}

/// How a symbol is written in one of the tables around it: there, every reference
/// that begins with `path` goes to or through the symbol.
struct Scope {
    table: Op,
    path: Vec<Str>,
}

/// The tables around `symbol` in which a reference can reach it, inner to outer.
fn scopes(ctx: &Context, symbol: Op) -> Vec<Scope> {
    let mut scopes = Vec::new();
    let Some(name) = symbol.symbol_name(ctx) else {
        return scopes;
    };
    let mut path = vec![ctx.intern(name)];
    let mut at = symbol;
    while let Some(table) = at.parent(ctx) {
        if !is_symbol_table(ctx, table) {
            break;
        }
        scopes.push(Scope {
            table,
            path: path.clone(),
        });
        let Some(name) = table.symbol_name(ctx) else {
            break;
        };
        path.insert(0, ctx.intern(name));
        at = table;
    }
    scopes
}

/// Call `f` with every op whose references are looked up in a scope of `symbol`,
/// among `within` and the ops in it, and with the path to look for.
fn walk_scopes(ctx: &Context, symbol: Op, within: Op, f: &mut dyn FnMut(Op, &[Str])) {
    let scopes = scopes(ctx, symbol);
    // The references of an op mean what they mean in the table around it; those on
    // a table op itself belong to the table outside.
    fn go(
        ctx: &Context,
        op: Op,
        scopes: &[Scope],
        path: Option<&[Str]>,
        f: &mut dyn FnMut(Op, &[Str]),
    ) {
        if let Some(p) = path {
            f(op, p);
        }
        let inside = if is_symbol_table(ctx, op) {
            scopes.iter().find(|s| s.table == op).map(|s| &s.path[..])
        } else {
            path
        };
        for b in op.blocks(ctx) {
            let mut next = b.first_op(ctx);
            while let Some(o) = next {
                next = o.next(ctx);
                go(ctx, o, scopes, inside, f);
            }
        }
    }
    let mut around = within.parent(ctx);
    while let Some(t) = around.filter(|t| !is_symbol_table(ctx, *t)) {
        around = t.parent(ctx);
    }
    let path = scopes
        .iter()
        .find(|s| Some(s.table) == around)
        .map(|s| &s.path[..]);
    go(ctx, within, &scopes, path, f);
}

/// Call `f` with every symbol reference in the attributes of `op` itself.
pub fn op_symbol_refs(ctx: &Context, op: Op, f: &mut dyn FnMut(Attr)) {
    // The references are collected first: `f` may look at the op.
    let mut found = Vec::new();
    if let Some(p) = op.payload(ctx) {
        for attr in p.attrs.iter().map(|e| e.1).chain(p.properties) {
            symbol_refs(ctx, attr, &mut |a| found.push(a));
        }
    }
    found.into_iter().for_each(f);
}

fn refs_with_prefix(ctx: &Context, op: Op, path: &[Str], f: &mut dyn FnMut(Attr)) {
    let Some(p) = op.payload(ctx) else { return };
    for attr in p.attrs.iter().map(|e| e.1).chain(p.properties) {
        symbol_refs(ctx, attr, &mut |a| {
            if a.as_symbol(ctx).is_some_and(|s| s.starts_with(path)) {
                f(a);
            }
        });
    }
}

/// Every reference to `symbol`, or through it to something inside it, on `within`
/// or an op in it.
pub fn symbol_uses(ctx: &Context, symbol: Op, within: Op) -> Vec<SymbolUse> {
    let mut uses = Vec::new();
    walk_scopes(ctx, symbol, within, &mut |op, path| {
        refs_with_prefix(ctx, op, path, &mut |symbol| {
            uses.push(SymbolUse { op, symbol })
        });
    });
    uses
}

/// Whether anything on `within` or in it refers to `symbol`.
pub fn symbol_is_used(ctx: &Context, symbol: Op, within: Op) -> bool {
    !symbol_uses(ctx, symbol, within).is_empty()
}
