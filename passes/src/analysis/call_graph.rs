//! Which function calls which, and which functions may be called from elsewhere.

use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::func;
use terrace_ir::opdef::traits;
use terrace_ir::symbols::{
    Visibility, is_symbol_table, lookup_path, nearest_symbol_table, op_symbol_refs, visibility,
};
use terrace_ir::{Context, Op, Str};

/// Whether `op` is a function with a body.
pub fn is_callable(ctx: &Context, op: Op) -> bool {
    op.has_trait(ctx, traits::FUNCTION_LIKE)
        && op.num_regions(ctx) == 1
        && !op.region(ctx, 0).is_empty(ctx)
}

/// Every symbol table that is `root` or inside it, inner before outer, and whether
/// all references to its nested symbols are inside `root`.
pub fn symbol_tables(ctx: &Context, root: Op) -> Vec<(Op, bool)> {
    fn go(ctx: &Context, op: Op, visible: bool, out: &mut Vec<(Op, bool)>) {
        let table = is_symbol_table(ctx, op);
        // What is not in a table of its own cannot be named from outside.
        let visible = visible
            || !table
            || op.symbol_name(ctx).is_none()
            || visibility(ctx, op) == Visibility::Private;
        for b in op.blocks(ctx) {
            for o in b.ops(ctx) {
                go(ctx, o, visible, out);
            }
        }
        if table {
            out.push((op, visible));
        }
    }
    let mut out = Vec::new();
    go(ctx, root, root.parent(ctx).is_none(), &mut out);
    out
}

/// `op` and the ops in it whose symbol references mean the same as those of `op`:
/// all but those inside nested symbol tables.
pub fn walk_scope(ctx: &Context, op: Op, f: &mut dyn FnMut(Op)) {
    f(op);
    if is_symbol_table(ctx, op) {
        return;
    }
    for b in op.blocks(ctx) {
        for o in b.ops(ctx) {
            walk_scope(ctx, o, f);
        }
    }
}

/// The functions with bodies inside an op, and the calls among them.
///
/// Functions are added and removed nowhere here: the graph stays that of the IR it
/// was made from, whatever happens to the bodies.
pub struct CallGraph {
    /// In the order of the text.
    pub nodes: Vec<Op>,
    known: FxHashSet<Op>,
    edges: FxHashMap<Op, Vec<Op>>,
    parents: FxHashSet<Op>,
    names: FxHashMap<(Op, Vec<Str>), Option<Op>>,
}

impl CallGraph {
    pub fn new(ctx: &Context, root: Op) -> Self {
        let mut g = CallGraph {
            nodes: Vec::new(),
            known: FxHashSet::default(),
            edges: FxHashMap::default(),
            parents: FxHashSet::default(),
            names: FxHashMap::default(),
        };
        g.find(ctx, root, None);
        g.connect(ctx, root, None);
        g
    }

    fn find(&mut self, ctx: &Context, op: Op, around: Option<Op>) {
        let mut around = around;
        if is_callable(ctx, op) {
            self.nodes.push(op);
            self.known.insert(op);
            if let Some(p) = around {
                self.parents.insert(p);
                self.edges.entry(p).or_default().push(op);
            }
            around = Some(op);
        }
        for b in op.blocks(ctx) {
            for o in b.ops(ctx) {
                self.find(ctx, o, around);
            }
        }
    }

    fn connect(&mut self, ctx: &Context, op: Op, around: Option<Op>) {
        let around = if self.is_node(op) { Some(op) } else { around };
        if let (Some(from), Some(to)) = (around, self.callee(ctx, op)) {
            let list = self.edges.entry(from).or_default();
            if !list.contains(&to) {
                list.push(to);
            }
        }
        for b in op.blocks(ctx) {
            for o in b.ops(ctx) {
                self.connect(ctx, o, around);
            }
        }
    }

    pub fn is_node(&self, op: Op) -> bool {
        self.known.contains(&op)
    }

    /// Whether other functions are nested in `node`.
    pub fn has_nested(&self, node: Op) -> bool {
        self.parents.contains(&node)
    }

    /// The functions that `node` called or held when the graph was made.
    pub fn edges(&self, node: Op) -> &[Op] {
        self.edges.get(&node).map_or(&[], |v| v)
    }

    /// The function of the graph that `call` calls; `None` where `call` is no call,
    /// or calls something else.
    pub fn callee(&mut self, ctx: &Context, call: Op) -> Option<Op> {
        if !call.isa::<func::CallOp>(ctx) {
            return None;
        }
        let name = call.attr(ctx, "callee")?.as_symbol(ctx)?.to_vec();
        self.named(ctx, call, name)
            .filter(|t| t.isa::<func::FuncOp>(ctx))
    }

    /// The function of the graph that `path`, written on `user`, names.
    fn named(&mut self, ctx: &Context, user: Op, path: Vec<Str>) -> Option<Op> {
        let table = nearest_symbol_table(ctx, user.parent(ctx)?)?;
        let known = &self.known;
        *self
            .names
            .entry((table, path))
            .or_insert_with_key(|(table, path)| {
                lookup_path(ctx, *table, path).filter(|t| known.contains(t))
            })
    }

    /// Call `f` with each op in the scope of `op` that refers to a function of the
    /// graph, and that function, once for each reference.
    pub fn references(&mut self, ctx: &Context, op: Op, f: &mut dyn FnMut(Op, Op)) {
        let mut users = Vec::new();
        walk_scope(ctx, op, &mut |o| users.push(o));
        for user in users {
            let mut paths = Vec::new();
            op_symbol_refs(ctx, user, &mut |a| {
                paths.extend(a.as_symbol(ctx).map(<[Str]>::to_vec));
            });
            for path in paths {
                if let Some(t) = self.named(ctx, user, path) {
                    f(user, t);
                }
            }
        }
    }

    /// The groups of functions that call one another, in an order in which callees
    /// come before callers (Tarjan's algorithm, functions taken as in the text).
    pub fn components(&self) -> Vec<Vec<Op>> {
        struct Visit {
            node: Op,
            next: usize,
            low: usize,
        }
        let mut number: FxHashMap<Op, usize> = FxHashMap::default();
        let mut done: FxHashSet<Op> = FxHashSet::default();
        let mut open: Vec<Op> = Vec::new();
        let mut out = Vec::new();
        for root in &self.nodes {
            if number.contains_key(root) {
                continue;
            }
            let mut stack: Vec<Visit> = Vec::new();
            let mut enter = Some(*root);
            loop {
                if let Some(node) = enter.take() {
                    let n = number.len();
                    number.insert(node, n);
                    open.push(node);
                    stack.push(Visit {
                        node,
                        next: 0,
                        low: n,
                    });
                }
                let Some(top) = stack.last_mut() else { break };
                if let Some(to) = self.edges(top.node).get(top.next).copied() {
                    top.next += 1;
                    match number.get(&to) {
                        None => enter = Some(to),
                        Some(n) if !done.contains(&to) => top.low = top.low.min(*n),
                        Some(_) => {}
                    }
                    continue;
                }
                let (node, low) = (top.node, top.low);
                stack.pop();
                if let Some(below) = stack.last_mut() {
                    below.low = below.low.min(low);
                }
                if number.get(&node) == Some(&low) {
                    let mut group = Vec::new();
                    while let Some(o) = open.pop() {
                        done.insert(o);
                        group.push(o);
                        if o == node {
                            break;
                        }
                    }
                    out.push(group);
                }
            }
        }
        out
    }
}
