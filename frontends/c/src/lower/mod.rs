//! From C to MLIR: structured SSA, with affine loops where bounds and subscripts allow.
//!
//! [`lower_unit`] makes a module of a translation unit: a `func.func` for each function
//! that can be translated, and a function `@FUNC.regionN` for each statement under a
//! compute directive or `scop`, which the function around it calls. [`lower_region`]
//! makes the function of one statement. What cannot be translated is refused with the
//! reason and stays C.
//!
//! Scalars are values: `env` says what each variable holds at a place, loops and
//! conditions hand on those that change, and `tidy` takes out what nobody reads.
//! Pointers are places (`place`) that are known while lowering: an object and its
//! subscripts. Integers are remembered as arithmetic on index values (`form`), from
//! which affine bounds and subscripts are made.

mod atomic;
mod branch;
mod calls;
mod capture;
mod capture_array;
mod clauses;
mod condition;
mod convert;
mod core;
mod counted;
mod decl;
mod env;
mod expr;
mod flatten;
mod form;
mod liveness;
mod loops;
mod math;
mod place;
mod region;
mod shapes;
mod stmt;
mod tidy;
mod unit;
mod walk;

#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;
use terrace_dialects::func;
use terrace_ir::diag::{DiagLoc, Diagnostic};
use terrace_ir::{Block, Builder, Context, InsertPoint, Loc, Op, OpState, Type as IrType};

use self::core::{Exits, Lowerer, Mode};
use self::unit::{Needs, RegionCall};
use crate::directive::{Compute, DirectiveKind};
use crate::hir::{DirectiveId, ExprKind, Span, Stmt, StmtKind, Unit};
use crate::region::{Kept, Region};

type Result<T> = std::result::Result<T, Refusal>;

/// Something that is not translated, and why.
#[derive(Debug, Clone, PartialEq)]
struct Refusal {
    span: Span,
    reason: String,
}

impl Refusal {
    fn new(span: Span, reason: impl Into<String>) -> Refusal {
        Refusal {
            span,
            reason: reason.into(),
        }
    }
}

/// What is made of a unit.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Only the functions of regions, not those of the unit around them.
    pub regions_only: bool,
}

/// A unit as a module.
#[derive(Debug)]
pub struct Lowered {
    /// A `builtin.module` that verifies.
    pub module: Op,
    /// What stays C.
    pub kept: Vec<Kept>,
    pub regions: Vec<Region>,
    /// Faults of the lowering itself; what they concern is in `kept`.
    pub diagnostics: Vec<Diagnostic>,
}

/// A statement to be made a function.
#[derive(Debug, Clone, Copy)]
pub struct RegionRequest<'h> {
    /// The symbol of the function.
    pub name: &'h str,
    /// An index into the unit's functions.
    pub function: usize,
    /// Part of that function's body.
    pub stmt: &'h Stmt,
    pub directive: Option<DirectiveId>,
    pub construct: Compute,
}

/// An empty module.
pub fn new_module(ctx: &mut Context) -> Op {
    let mut state = match ctx.op_def("builtin.module") {
        Some(def) => OpState::new(def, Loc::Unknown),
        None => {
            let name = ctx.intern("builtin.module");
            OpState::unregistered(name, Loc::Unknown)
        }
    };
    state = state.regions(1);
    let op = state.create(ctx);
    op.region(ctx, 0).add_block(ctx, &[]);
    op
}

/// The compute directive of a statement, with its construct.
pub fn compute_directive(unit: &Unit, s: &Stmt) -> Option<(DirectiveId, Compute)> {
    s.directives
        .iter()
        .find_map(|id| match unit.directive(*id).kind {
            DirectiveKind::Compute { construct, .. } => Some((*id, construct)),
            DirectiveKind::Scop => Some((*id, Compute::Auto)),
            _ => None,
        })
}

/// Makes a module of a unit.
pub fn lower_unit(ctx: &mut Context, unit: &Unit, options: &Options) -> Lowered {
    let module = new_module(ctx);
    let mut out = Lowered {
        module,
        kept: Vec::new(),
        regions: Vec::new(),
        diagnostics: Vec::new(),
    };
    let mut needs = Needs::default();
    for (index, f) in unit.functions.iter().enumerate() {
        let mut statements = Vec::new();
        regions_in(unit, &f.body, &mut statements);
        let mut calls = Vec::new();
        for (n, (stmt, directive, construct)) in statements.into_iter().enumerate() {
            let name = format!("{}.region{n}", f.name);
            let request = RegionRequest {
                name: &name,
                function: index,
                stmt,
                directive: Some(directive),
                construct,
            };
            match lower_region(ctx, module, unit, &request) {
                Ok((op, region)) => {
                    let f: func::FuncOp = terrace_ir::OpKind::wrap(op);
                    let call = RegionCall {
                        region: region.clone(),
                        inputs: f.inputs(ctx).to_vec(),
                        results: f.results(ctx).to_vec(),
                    };
                    calls.push((std::ptr::from_ref(stmt) as usize, call));
                    out.regions.push(region);
                }
                Err(kept) => out.kept.push(kept),
            }
        }
        if options.regions_only {
            continue;
        }
        match lower_function(ctx, module, unit, index, calls) {
            Ok(more) => needs.extend(more),
            Err(r) => out.kept.push(Kept {
                function: f.name.clone(),
                span: r.span,
                reason: r.reason,
                directive: None,
            }),
        }
    }
    for (name, g) in sorted(&needs.globals) {
        unit::define_global(ctx, unit, module, name, g);
    }
    let defined: Vec<String> = module
        .body(ctx, 0)
        .ops(ctx)
        .into_iter()
        .filter_map(|o| o.symbol_name(ctx).map(str::to_string))
        .collect();
    for (name, (inputs, results)) in sorted(&needs.functions) {
        if !defined.iter().any(|d| d == name) {
            unit::declare_function(ctx, module, name, inputs, results);
        }
    }
    check_module(ctx, unit, &mut out);
    out
}

fn sorted<T>(map: &FxHashMap<String, T>) -> Vec<(&String, &T)> {
    let mut v: Vec<_> = map.iter().collect();
    v.sort_by(|a, b| a.0.cmp(b.0));
    v
}

/// Statements under compute directives, outer ones first; none inside another.
fn regions_in<'h>(unit: &Unit, s: &'h Stmt, out: &mut Vec<(&'h Stmt, DirectiveId, Compute)>) {
    if let Some((d, c)) = compute_directive(unit, s) {
        out.push((s, d, c));
        return;
    }
    let mut inner: Vec<&'h Stmt> = Vec::new();
    match &s.kind {
        StmtKind::Block(list) => inner.extend(list),
        StmtKind::If {
            then, otherwise, ..
        } => {
            inner.push(then);
            inner.extend(otherwise.as_deref());
        }
        StmtKind::For { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::DoWhile { body, .. } => inner.push(body),
        StmtKind::Label(_, s) => inner.push(s),
        StmtKind::Switch { arms, .. } => {
            for a in arms {
                inner.extend(&a.body);
            }
        }
        _ => {}
    }
    for s in inner {
        regions_in(unit, s, out);
    }
}

/// Verifies every function; one that fails is taken out again.
fn check_module(ctx: &mut Context, unit: &Unit, out: &mut Lowered) {
    let before = ctx.take_diagnostics();
    for op in out.module.body(ctx, 0).ops(ctx) {
        if terrace_ir::verify::verify(ctx, op) {
            continue;
        }
        let said = ctx.take_diagnostics();
        let name = op.symbol_name(ctx).unwrap_or_default().to_string();
        let base = name.split(".region").next().unwrap_or(&name).to_string();
        let what = said.first().map_or(String::new(), |d| d.message.clone());
        let span = unit
            .function(&base)
            .map_or(Span { start: 0, end: 0 }, |f| f.name_span);
        let directive = out
            .regions
            .iter()
            .find(|r| r.name == name)
            .and_then(|r| r.directive);
        out.regions.retain(|r| r.name != name);
        out.kept.push(Kept {
            function: base,
            span,
            reason: format!("a fault of terrace's own: {what}"),
            directive,
        });
        out.diagnostics.extend(said);
        unit::discard(ctx, op);
    }
    if !terrace_ir::verify::verify(ctx, out.module) {
        out.diagnostics.extend(ctx.take_diagnostics());
    }
    ctx.restore_diagnostics(before);
}

/// Makes the function op of a signature at the end of the module.
fn function_op(
    ctx: &mut Context,
    module: Op,
    name: &str,
    types: (&[IrType], &[IrType]),
    loc: Loc,
) -> (Op, Block) {
    let body = module.body(ctx, 0);
    let mut b = Builder::new(ctx, InsertPoint::End(body), loc);
    let (f, entry) = func::FuncOp::build(&mut b, name, types.0, types.1);
    (terrace_ir::OpKind::op(f), entry)
}

fn lower_function(
    ctx: &mut Context,
    module: Op,
    unit: &Unit,
    index: usize,
    regions: Vec<(usize, RegionCall)>,
) -> Result<Needs> {
    let f = &unit.functions[index];
    let loc = location(ctx, unit, f.name_span);
    let (op, entry) = function_op(ctx, module, &f.name, (&[], &[]), loc);
    let mut l = Lowerer::new(ctx, unit, Mode::Function, index, op, entry);
    l.needs.regions = regions;
    let done = whole_function(&mut l, f);
    let needs = std::mem::take(&mut l.needs);
    match done {
        Ok(()) => {
            tidy::tidy(ctx, op);
            Ok(needs)
        }
        Err(r) => {
            unit::discard(ctx, op);
            Err(r)
        }
    }
}

fn whole_function(l: &mut Lowerer, f: &crate::hir::Function) -> Result<()> {
    let (inputs, results) = l.signature(f, f.name_span)?;
    let args: Vec<_> = inputs.iter().map(|t| l.entry.add_arg(l.ctx, *t)).collect();
    let ty = l.ctx.function_type(&inputs, &results);
    let ty = l.ctx.type_attr(ty);
    l.func.set_attr(l.ctx, "function_type", ty);
    if f.is_static {
        let private = l.ctx.string_attr("private");
        l.func.set_attr(l.ctx, "sym_visibility", private);
    }
    unit::parameters(l, &f.params, &args)?;
    let returned = l.new_cell(None, "return");
    l.set_flag(returned, false);
    let result = match results.is_empty() {
        true => None,
        false => Some(l.new_cell(Some(f.result.clone()), "return")),
    };
    l.exits = Exits {
        stack: Vec::new(),
        returned: Some(returned),
        result,
    };
    l.stmt(&f.body)?;
    let values: Vec<_> = result.into_iter().map(|c| l.read(c)).collect();
    l.op("func.return", &values, &[], &[]);
    Ok(())
}

/// Makes a function of one statement at the end of `module`.
///
/// # Errors
///
/// What cannot be lowered, and why; the module is as before then.
pub fn lower_region(
    ctx: &mut Context,
    module: Op,
    unit: &Unit,
    request: &RegionRequest,
) -> std::result::Result<(Op, Region), Kept> {
    let loc = location(ctx, unit, request.stmt.span);
    let (op, entry) = function_op(ctx, module, request.name, (&[], &[]), loc);
    let mut l = Lowerer::new(ctx, unit, Mode::Region, request.function, op, entry);
    match region::region(&mut l, request) {
        Ok(region) => Ok((op, region)),
        Err(r) => {
            unit::discard(ctx, op);
            Err(Kept {
                function: unit.functions[request.function].name.clone(),
                span: r.span,
                reason: r.reason,
                directive: request.directive,
            })
        }
    }
}

fn region(l: &mut Lowerer, request: &RegionRequest) -> Result<Region> {
    let unit = l.unit;
    let s = request.stmt;
    let directive = request.directive.map(|d| unit.directive(d));
    l.indexed_records = indexed_records(unit, s);
    let scalars = match directive {
        Some(d) => l.scalars(&d.clauses),
        None => clauses::Scalars::default(),
    };
    changed_scalars(l, s, &scalars.private)?;
    l.privatise(&scalars.private, s.span)?;
    if let Some(d) = directive
        && matches!(d.kind, DirectiveKind::Compute { combined: true, .. })
    {
        l.logical_reductions(d)?;
        l.directive = Some(l.loop_directive(d));
    }
    // Other directives of the statement than its own: a loop directive.
    for d in &s.directives {
        let d = unit.directive(*d);
        if d.kind == DirectiveKind::Loop {
            l.logical_reductions(d)?;
            l.directive = Some(l.loop_directive(d));
        }
    }
    l.undirected(s)?;

    let results = results(l, request, &scalars)?;
    let values: Vec<_> = results
        .iter()
        .filter_map(|id| l.outers[*id].cell)
        .collect::<Vec<_>>()
        .into_iter()
        .map(|c| l.read(c))
        .collect();
    let types: Vec<_> = values.iter().map(|v| v.ty(l.ctx)).collect();
    l.op("func.return", &values, &[], &[]);
    tidy::tidy(l.ctx, l.func);
    let (captures, indices) = l.finish_captures(&results);
    let inputs = l.entry.arg_types(l.ctx);
    let ty = l.ctx.function_type(&inputs, &types);
    let ty = l.ctx.type_attr(ty);
    l.func.set_attr(l.ctx, "function_type", ty);
    set_attributes(l, request, directive, &captures);
    Ok(Region {
        name: request.name.to_string(),
        function: request.function,
        directive: request.directive,
        construct: request.construct,
        span: s.span,
        captures,
        results: indices,
    })
}

/// Records whose pointers are indexed or moved.
fn indexed_records(unit: &Unit, s: &Stmt) -> rustc_hash::FxHashSet<usize> {
    let mut found = rustc_hash::FxHashSet::default();
    let mut seen: Vec<&str> = Vec::new();
    let mut todo = vec![s];
    while let Some(s) = todo.pop() {
        walk::exprs(s, &mut |e| {
            let moved = match &e.kind {
                ExprKind::Index { base, .. } => Some(&base.ty),
                ExprKind::PointerAdd { .. }
                | ExprKind::CompoundAssign { .. }
                | ExprKind::IncDec { .. } => Some(&e.ty),
                ExprKind::Call { function, .. } => {
                    if let Some(f) = unit.function(function)
                        && !seen.contains(&function.as_str())
                    {
                        seen.push(function);
                        todo.push(&f.body);
                    }
                    None
                }
                _ => None,
            };
            if let Some(Type::Pointer(p)) = moved
                && let Type::Record(r) = p.to
            {
                found.insert(r);
            }
        });
    }
    found
}

/// Makes the scalars outside that the region changes cells.
fn changed_scalars(l: &mut Lowerer, s: &Stmt, private: &[VarId]) -> Result<()> {
    let unit = l.unit;
    let changes = walk::Changes::of_stmt(unit, s);
    let mut declared = Vec::new();
    walk::stmts(s, &mut |s| {
        if let StmtKind::Decl(list) = &s.kind {
            declared.extend(list.iter().map(|d| d.0));
        }
    });
    let function = unit.functions[l.function].span;
    let outside = |v: VarId| {
        let var = unit.var(v);
        let local = matches!(
            var.storage,
            Storage::Local | Storage::Param | Storage::LocalStatic
        );
        let here = function.start <= var.span.start && var.span.end <= function.end;
        !declared.contains(&v) && !private.contains(&v) && (!local || here)
    };
    let mut vars: Vec<VarId> = changes
        .vars
        .iter()
        .copied()
        .filter(|v| outside(*v))
        .collect();
    vars.sort();
    for v in vars {
        let var = unit.var(v);
        if var.is_volatile || var.is_const {
            continue;
        }
        if var.ty.is_arithmetic() {
            let Object::Outer(id) = l.object_of(v, s.span)? else {
                continue;
            };
            l.changed_scalar(id)?;
            if let Some(cell) = l.outers[id].cell {
                l.objects.insert(v, Object::Cell(cell));
            }
        }
    }
    // Members of variables, and through pointers that stay where they are.
    let mut members = Vec::new();
    walk::exprs(s, &mut |e| {
        if let ExprKind::Assign { target, .. }
        | ExprKind::CompoundAssign { target, .. }
        | ExprKind::IncDec { target, .. } = &e.kind
            && let ExprKind::Member { .. } = target.kind
            && target.ty.is_arithmetic()
            && let Some(root) = path_root(target)
            && outside(root)
        {
            members.push(&**target);
        }
    });
    for e in members {
        let p = l.place(e)?;
        if let Object::Outer(id) = p.object
            && p.subscripts.is_empty()
        {
            l.changed_scalar(id)?;
        }
    }
    Ok(())
}

/// The variable that a path of members starts from.
fn path_root(e: &crate::hir::Expr) -> Option<VarId> {
    match &e.kind {
        ExprKind::Var(v) => Some(*v),
        ExprKind::Member { base, .. } => path_root(base),
        ExprKind::Deref(p) => path_root(p),
        _ => None,
    }
}

/// The scalars whose new values are seen outside, by number of their path.
fn results(l: &Lowerer, request: &RegionRequest, scalars: &clauses::Scalars) -> Result<Vec<usize>> {
    let unit = l.unit;
    let body = &unit.functions[request.function].body;
    let live = liveness::live_after(body, request.stmt);
    let mut inner_reductions = Vec::new();
    walk::stmts(request.stmt, &mut |s| {
        for d in &s.directives {
            for c in &unit.directive(*d).clauses {
                if let ClauseKind::Reduction { vars, .. } = &c.kind {
                    inner_reductions.extend(vars.iter().filter_map(clauses::variable));
                }
            }
        }
    });
    let first_private = matches!(request.construct, Compute::Parallel | Compute::Serial);
    let mut all: Vec<usize> = Vec::new();
    let mut by_capture: Vec<(usize, usize)> = l
        .outers
        .iter()
        .enumerate()
        .filter_map(|(i, o)| {
            let (capture, cell) = (o.capture?, o.cell?);
            let changed = l.env.cells[cell.0] != Some(l.captured[capture].value);
            changed.then_some((capture, i))
        })
        .collect();
    by_capture.sort();
    for (_, id) in by_capture {
        let o = &l.outers[id];
        let var = unit.var(o.var);
        let named = scalars.out.contains(&o.var) || inner_reductions.contains(&o.var);
        let local = matches!(var.storage, Storage::Local | Storage::Param);
        let seen = !local
            || var.address_taken
            || !o.steps.is_empty()
            || live.as_ref().is_none_or(|set| set.contains(&o.var));
        if seen && (named || !first_private) {
            all.push(id);
        }
    }
    Ok(all)
}

fn set_attributes(
    l: &mut Lowerer,
    request: &RegionRequest,
    directive: Option<&Directive>,
    captures: &[Capture],
) {
    let ctx = &*l.ctx;
    let text = |s: &str| ctx.string_attr(s);
    let construct = match request.construct {
        Compute::Parallel => "parallel",
        Compute::Kernels => "kernels",
        Compute::Serial => "serial",
        Compute::Auto => "auto",
    };
    let source = match directive.map(|d| (d.dialect, &d.kind)) {
        None => "found",
        Some((_, DirectiveKind::Scop)) | Some((Dialect::Scop, _)) => "scop",
        Some((Dialect::OpenAcc, _)) => "acc",
        Some((Dialect::Pgi, _)) => "pgi",
        Some((Dialect::Terrace, _)) => "terrace",
    };
    let mut entries: Vec<(&str, Attr)> =
        vec![("construct", text(construct)), ("source", text(source))];
    for c in directive.into_iter().flat_map(|d| &d.clauses) {
        let (name, arg) = match &c.kind {
            ClauseKind::NumGangs(a) => ("num_gangs", a.first()),
            ClauseKind::NumWorkers(a) => ("num_workers", Some(a)),
            ClauseKind::VectorLength(a) => ("vector_length", Some(a)),
            _ => continue,
        };
        if let Some(n) = arg.and_then(|a| l.argument_value(a)) {
            entries.push((name, ctx.i64_attr(n)));
        }
    }
    if !may_alias(captures) {
        entries.push(("noalias", ctx.unit()));
    }
    let entries: Vec<_> = entries
        .into_iter()
        .map(|(k, a)| (ctx.intern(k), a))
        .collect();
    let region = ctx.dict_attr(entries);
    l.func.set_attr(ctx, "acc.region", region);
    let args: Vec<Attr> = captures
        .iter()
        .map(|c| {
            let access = match (c.read, c.written) {
                (true, true) => "readwrite",
                (false, true) => "write",
                _ => "read",
            };
            ctx.dict_attr([
                (ctx.intern("acc.access"), text(access)),
                (ctx.intern("acc.name"), text(&c.text)),
            ])
        })
        .collect();
    if !args.is_empty() {
        l.func.set_attr(ctx, "arg_attrs", ctx.array_attr(args));
    }
}

/// Whether an array that is written may overlap another one.
fn may_alias(captures: &[Capture]) -> bool {
    let arrays: Vec<_> = captures
        .iter()
        .filter_map(|c| Some((c, c.array()?)))
        .collect();
    let overlap = |(c, a): &(&Capture, &CapturedArray), (d, b): &(&Capture, &CapturedArray)| {
        // Other fields of the same records, or two array objects.
        let apart = c.lvalue == d.lvalue || !a.is_pointer && !b.is_pointer;
        !apart && !a.restrict && !b.restrict && (c.written || d.written)
    };
    arrays
        .iter()
        .enumerate()
        .any(|(i, x)| arrays[..i].iter().any(|y| overlap(x, y)))
}

/// The place of a span in the file as the user wrote it.
fn location(ctx: &Context, unit: &Unit, span: Span) -> Loc {
    match unit.source.loc(span.start as usize) {
        DiagLoc::Pos { file, line, column } => ctx.file_loc(&file, line, column),
        _ => Loc::Unknown,
    }
}
