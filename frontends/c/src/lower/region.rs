//! The function of a region: what it changes, its results and attributes.

use std::rc::Rc;
use terrace_dialects::attributes::{
    ACC_ACCESS, ACC_ANYWHERE, ACC_FIELD, ACC_NAME, ACC_ORDERED, ACC_OVERLAPS, ACC_POINTERS,
    ACC_REGION, ACC_SCALAR, ACC_UNSIGNED,
};
use terrace_dialects::func;

use terrace_ir::Attr;

use super::core::Lowerer;
use super::env::{PointerVar, Target};
use super::form::Form;
use super::gangs::Gangs;
use super::place::{LValue, Object};
use super::sharing::{Sharing, Start, path};
use super::{
    Refusal, RegionRequest, Result, aliasing, clauses, counters, in_memory, liveness, tidy, walk,
};
use crate::directive::{ClauseKind, Compute, Dialect, Directive, DirectiveKind, Section};
use crate::hir::{ExprKind, Stmt, StmtKind, Storage, Unit, Var, VarId};
use crate::region::{Capture, Region};
use crate::types::Type;

/// Lowers the statement into the function of `l`, which is empty.
pub fn region<'a>(l: &mut Lowerer<'a>, request: &RegionRequest<'a>) -> Result<Region> {
    let unit = l.unit;
    let s = request.stmt;
    let directive = request.directive.map(|d| unit.directive(d));
    declared_within(l, s)?;
    l.indexed_records = indexed_records(unit, s);
    let sharing = Rc::new(Sharing::of(unit, request.construct, directive, s));
    l.sharing = Some(sharing.clone());
    l.follows_pointers = request.construct != Compute::Auto;
    let gangs = Gangs::of(unit, request, &sharing);
    let many = gangs.as_ref().is_some_and(Gangs::are_many);
    let private = only_own(unit, s, &sharing);
    scalars_in_memory(l, s, &private, many)?;
    changed_scalars(l, s, &private)?;
    l.given_scalars(s)?;
    changed_pointers(l, request, &private);
    match &gangs {
        Some(gangs) => l.in_gangs(gangs, s.span, |l| construct(l, s, directive, &sharing))?,
        None => construct(l, s, directive, &sharing)?,
    }

    let results = results(l, request, &sharing);
    let values: Vec<_> = results
        .iter()
        .filter_map(|id| l.outers[*id].cell)
        .collect::<Vec<_>>()
        .into_iter()
        .map(|c| l.read(c))
        .collect();
    let types: Vec<_> = values.iter().map(|v| v.ty(l.ctx)).collect();
    l.op(func::ReturnOp::NAME, &values, &[], &[]);
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

/// Lowers what the construct is about.
fn construct(
    l: &mut Lowerer,
    s: &Stmt,
    directive: Option<&Directive>,
    sharing: &Sharing,
) -> Result<()> {
    own_objects(l, s, sharing)?;
    if let Some(d) = directive
        && matches!(d.kind, DirectiveKind::Compute { combined: true, .. })
    {
        l.logical_reductions(d)?;
        l.directive = Some(l.loop_directive(d));
    }
    // Other directives of the statement than its own: a loop directive.
    for d in &s.directives {
        let d = l.unit.directive(*d);
        if d.kind == DirectiveKind::Loop {
            l.logical_reductions(d)?;
            l.directive = Some(l.loop_directive(d));
        }
    }
    let kept = l.counters_kept(s);
    l.undirected(s)?;
    l.give_back(kept);
    Ok(())
}

/// Makes the objects that the construct has of its own.
fn own_objects(l: &mut Lowerer, s: &Stmt, sharing: &Sharing) -> Result<()> {
    let unit = l.unit;
    let mut starts = Vec::new();
    for o in sharing.objects() {
        if let Some(section) = o.section {
            l.remember_section(o.var, section);
        }
        if o.start == Start::Value {
            let from = LValue::whole(l.object_of(o.var, s.span)?, &unit.var(o.var).ty);
            starts.push((o.var, l.load(&from, s.span)?));
        }
    }
    let vars: Vec<VarId> = sharing.objects().map(|o| o.var).collect();
    l.privatise(&vars, s.span)?;
    for (v, value) in starts {
        let to = LValue::whole(l.object_of(v, s.span)?, &unit.var(v).ty);
        l.store(&to, value, s.span)?;
    }
    Ok(())
}

/// The variables of which the region uses nothing but objects of its own. Globals that
/// functions change are not among them.
fn only_own(unit: &Unit, s: &Stmt, sharing: &Sharing) -> Vec<VarId> {
    let mut functions = walk::Changes::default();
    walk::exprs(s, &mut |e| {
        if let ExprKind::Call { .. } = e.kind {
            functions.expr(unit, e);
        }
    });
    let changed = |v: VarId| unit.var(v).is_global() && functions.vars.contains(&v);
    let all = sharing.objects().map(|o| o.var);
    all.filter(|v| !changed(*v)).collect()
}

/// Refuses what lives outside of the region and has its name only within: nothing in
/// front of the region can hand it in. What never changes is known without that.
fn declared_within(l: &Lowerer, s: &Stmt) -> Result<()> {
    let unit = l.unit;
    let within = |(i, v): &(usize, &Var)| {
        let id = VarId(*i as u32);
        let outlives = matches!(v.storage, Storage::Extern | Storage::LocalStatic);
        let known = l.constants.contains_key(&id) || l.is_table(id);
        outlives && !known && s.span.start <= v.span.start && v.span.end <= s.span.end
    };
    let what = |v: &Var| match v.storage {
        Storage::Extern => format!("the global '{}', which is declared in it", v.name),
        _ => format!("the static variable '{}', which is declared in it", v.name),
    };
    match unit.vars.iter().enumerate().find(within) {
        Some((_, v)) => Err(Refusal::new(v.span, what(v))),
        None => Ok(()),
    }
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

/// Which variables are not the region's own.
fn outside(unit: &Unit, function: usize, s: &Stmt, private: &[VarId]) -> impl Fn(VarId) -> bool {
    let mut own = private.to_vec();
    walk::stmts(s, &mut |s| {
        if let StmtKind::Decl(list) = &s.kind {
            own.extend(list.iter().map(|d| d.0));
        }
    });
    let function = unit.functions[function].span;
    move |v: VarId| {
        let var = unit.var(v);
        let local = matches!(
            var.storage,
            Storage::Local | Storage::Param | Storage::LocalStatic
        );
        let here = function.start <= var.span.start && var.span.end <= function.end;
        !own.contains(&v) && (!local || here)
    }
}

/// Decides which scalars outside are elements of memory.
fn scalars_in_memory(l: &mut Lowerer, s: &Stmt, private: &[VarId], gangs: bool) -> Result<()> {
    let unit = l.unit;
    let outside = outside(unit, l.function, s, private);
    for (var, steps) in l.to_memory.clone() {
        let id = l.outer(var, steps);
        l.outers[id].in_memory = true;
    }
    let Some(sharing) = l.sharing.clone() else {
        return Ok(());
    };
    for e in in_memory::places(unit, &sharing, s, gangs) {
        let fits = |v: VarId| outside(v) && !unit.var(v).is_volatile && !unit.var(v).is_const;
        if !path(e).is_some_and(|(v, _)| fits(v)) {
            continue;
        }
        let p = l.place(e)?;
        if let Object::Outer(id) = p.object
            && p.subscripts.is_empty()
        {
            l.outers[id].in_memory = true;
        }
    }
    Ok(())
}

/// Makes the scalars outside that the region changes cells.
fn changed_scalars(l: &mut Lowerer, s: &Stmt, private: &[VarId]) -> Result<()> {
    let unit = l.unit;
    let changes = walk::Changes::of_stmt(unit, s);
    let outside = outside(unit, l.function, s, private);
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
            if l.outers[id].in_memory {
                continue;
            }
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
            && let Some((root, _)) = path(target)
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

/// Makes pointers outside that the region changes its own, where nobody outside sees the new
/// value: they begin as the program's.
fn changed_pointers(l: &mut Lowerer, request: &RegionRequest, private: &[VarId]) {
    let (unit, s) = (l.unit, request.stmt);
    let changes = walk::Changes::of_stmt(unit, s);
    let outside = outside(unit, l.function, s, private);
    let live = liveness::live_after(unit, &unit.functions[request.function].body, s);
    // Of the region's own loop it is the counter, which is what it was behind it.
    let counters: Vec<VarId> = s
        .directives
        .iter()
        .flat_map(|d| counters::of_directive(unit.directive(*d), s))
        .collect();
    let mut vars: Vec<VarId> = changes.vars.iter().copied().collect();
    vars.sort();
    for v in vars {
        let var = unit.var(v);
        if !var.ty.is_pointer() || !outside(v) || var.is_volatile || var.is_const {
            continue;
        }
        let id = l.outer(v, Vec::new());
        let local = matches!(var.storage, Storage::Local | Storage::Param);
        let unseen = local
            && !var.address_taken
            && (counters.contains(&v) || live.as_ref().is_some_and(|set| !set.contains(&v)));
        let part = l.outers[id].part();
        let shared = l.sharing.as_ref().is_some_and(|s| s.is_shared(v, part));
        if shared && !unseen {
            continue;
        }
        let pointer = l.pointer_var(PointerVar {
            root: Some(v),
            path: Vec::new(),
            name: var.name.clone(),
        });
        l.env.pointers[pointer.0] = Target::Known {
            object: Object::Outer(id),
            subscripts: vec![Form::constant(0)],
            null: None,
        };
        l.objects.insert(v, Object::Pointer(pointer));
    }
}

/// The scalars whose new values are seen outside, by number of their path.
fn results(l: &Lowerer, request: &RegionRequest, sharing: &Sharing) -> Vec<usize> {
    let unit = l.unit;
    let body = &unit.functions[request.function].body;
    let live = liveness::live_after(unit, body, request.stmt);
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
        let comes_out = l.is_shared(id) || o.steps.is_empty() && sharing.is_reduced(o.var);
        let local = matches!(var.storage, Storage::Local | Storage::Param);
        let seen = !local
            || var.address_taken
            || !o.steps.is_empty()
            || live.as_ref().is_none_or(|set| set.contains(&o.var));
        if seen && comes_out {
            all.push(id);
        }
    }
    all
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
    let body = &l.unit.functions[request.function].body;
    let overlaps = aliasing::overlaps(l.unit, body, captures);
    let apart = overlaps.iter().all(Vec::is_empty);
    if apart {
        entries.push(("noalias", ctx.unit()));
    }
    let entries: Vec<_> = entries
        .into_iter()
        .map(|(k, a)| (ctx.intern(k), a))
        .collect();
    let region = ctx.dict_attr(entries);
    l.func.set_attr(ctx, ACC_REGION, region);
    let ordered = copied(l.unit, request, directive);
    let args: Vec<Attr> = captures
        .iter()
        .zip(&overlaps)
        .map(|(c, others)| {
            let access = match (c.read, c.written) {
                (true, true) => "readwrite",
                (false, true) => "write",
                _ => "read",
            };
            let mut entries = vec![
                (ctx.intern(ACC_ACCESS), text(access)),
                (ctx.intern(ACC_NAME), text(&c.text)),
            ];
            let is_ordered = |v: VarId| matches!(c.lvalue.kind, ExprKind::Var(w) if w == v);
            if c.written && c.array().is_some() && ordered.iter().copied().any(is_ordered) {
                entries.push((ctx.intern(ACC_ORDERED), ctx.unit()));
            }
            if let Some(f) = c.array().and_then(|a| a.field.as_ref()) {
                let offset = i64::try_from(f.offset).unwrap_or(0);
                let of = (ctx.intern("of"), text(&f.first));
                let offset = (ctx.intern("offset"), ctx.i64_attr(offset));
                entries.push((ctx.intern(ACC_FIELD), ctx.dict_attr(vec![of, offset])));
            }
            if !others.is_empty() {
                let others: Vec<i64> = others.iter().map(|i| *i as i64).collect();
                entries.push((ctx.intern(ACC_OVERLAPS), ctx.i64_array(&others)));
            }
            if c.array().is_some() && c.ty.is_arithmetic() {
                entries.push((ctx.intern(ACC_SCALAR), ctx.unit()));
            }
            if c.array().is_none() && matches!(c.ty, Type::Int(i) if i.bits == 32 && !i.signed) {
                entries.push((ctx.intern(ACC_UNSIGNED), ctx.unit()));
            }
            if c.array().is_some_and(|a| a.pointers) {
                entries.push((ctx.intern(ACC_POINTERS), ctx.unit()));
            }
            if c.array().is_some_and(|a| a.anywhere) {
                entries.push((ctx.intern(ACC_ANYWHERE), ctx.unit()));
            }
            ctx.dict_attr(entries)
        })
        .collect();
    if !args.is_empty() {
        l.func.set_attr(ctx, "arg_attrs", ctx.array_attr(args));
    }
}

/// The variables of which directives give gangs or iterations copies of their own that
/// start with a value. Of scalars they are made; of arrays they are not, and loops that
/// need them are not independent.
fn copied(unit: &Unit, request: &RegionRequest, own: Option<&Directive>) -> Vec<VarId> {
    let mut found = Vec::new();
    let mut take = |d: &Directive| {
        for c in &d.clauses {
            if let ClauseKind::Reduction { vars, .. } | ClauseKind::Firstprivate(vars) = &c.kind {
                let memory = |s: &&Section| {
                    let e = s.base.expr.as_ref();
                    !s.dims.is_empty() || e.is_some_and(|e| !e.ty.is_pointer())
                };
                found.extend(vars.iter().filter(memory).filter_map(clauses::variable));
            }
        }
    };
    own.into_iter().for_each(&mut take);
    walk::stmts(request.stmt, &mut |s| {
        for d in &s.directives {
            take(unit.directive(*d));
        }
    });
    found
}
