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

mod aliasing;
mod alongside;
mod atomic;
mod bits;
mod bounds;
mod branch;
mod calls;
mod capture;
mod capture_array;
mod classify;
pub(crate) mod clauses;
mod condition;
mod constant;
mod convert;
mod core;
mod counted;
mod counters;
mod counting;
mod decl;
mod env;
mod expr;

mod flatten;
mod form;
mod gangs;
mod given;
mod growing;
mod head;
mod hypot;
mod implied;
mod in_memory;
mod liveness;
mod logical;
mod loops;
mod math;
mod memory;
mod merge;
mod place;
mod pointer;
mod region;
mod routine;
mod shapes;
pub mod sharing;
mod stmt;
mod tables;
mod targets;
mod tidy;
mod trips;
mod unit;
mod update;
pub(crate) mod walk;

#[cfg(test)]
mod tests;

use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::builtin;
use terrace_dialects::func;
use terrace_ir::diag::{DiagLoc, Diagnostic};
use terrace_ir::{
    Block, Builder, Context, InsertPoint, Loc, Op, OpKind, OpState, Type as IrType, verify,
};

use self::core::{Exits, Lowerer, Mode};
pub use self::counters::step_of;
pub use self::head::may_count;
pub use self::merge::{Merged, merge_constructs};
use self::place::{LValue, Object};
use self::unit::{Needs, RegionCall};
use crate::directive::{Compute, DirectiveKind};
use crate::hir::{DirectiveId, Function, Span, Stmt, StmtKind, Unit};
use crate::region::{Kept, Region};

type Result<T> = std::result::Result<T, Refusal>;

/// Something that is not translated, and why.
#[derive(Debug, Clone, PartialEq)]
struct Refusal {
    span: Span,
    reason: String,
    /// The program is wrong, or terrace is: it is not only that there is no form of it.
    wrong: bool,
}

impl Refusal {
    /// Of what earlier stages let through and should not have.
    fn fault(span: Span, what: &str) -> Refusal {
        Refusal::wrong(span, format!("a fault of terrace's own: {what}"))
    }

    /// Of what the directive, or C, does not allow, and of what the host would do otherwise than
    /// the directive says.
    fn wrong(span: Span, reason: impl Into<String>) -> Refusal {
        Refusal {
            wrong: true,
            ..Refusal::new(span, reason)
        }
    }

    fn new(span: Span, reason: impl Into<String>) -> Refusal {
        Refusal {
            span,
            reason: reason.into(),
            wrong: false,
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
    let mut state = match ctx.op_def(builtin::ModuleOp::NAME) {
        Some(def) => OpState::new(def, Loc::Unknown),
        None => {
            let name = ctx.intern(builtin::ModuleOp::NAME);
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
            if let Some(reason) = unit.source.dialect().refusal(stmt.span) {
                out.kept.push(Kept {
                    function: f.name.clone(),
                    span: stmt.span,
                    reason: reason.to_string(),
                    wrong: false,
                    directive: Some(directive),
                });
                continue;
            }
            match lower_region(ctx, module, unit, &request) {
                Ok((op, region)) => {
                    let f: func::FuncOp = OpKind::wrap(op);
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
                wrong: r.wrong,
                directive: None,
            }),
        }
    }
    define_globals(ctx, unit, module, &needs.globals);
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

/// Makes those that are not there yet.
fn define_globals(
    ctx: &mut Context,
    unit: &Unit,
    module: Op,
    globals: &FxHashMap<String, unit::Global>,
) {
    let ops = module.body(ctx, 0).ops(ctx).into_iter();
    let defined: FxHashSet<String> = ops
        .filter_map(|o| o.symbol_name(ctx).map(str::to_string))
        .collect();
    for (name, g) in sorted(globals) {
        if !defined.contains(name) {
            unit::define_global(ctx, unit, module, name, g);
        }
    }
}

fn sorted<T>(map: &FxHashMap<String, T>) -> Vec<(&String, &T)> {
    let mut v: Vec<_> = map.iter().collect();
    v.sort_by(|a, b| a.0.cmp(b.0));
    v
}

/// Statements under compute directives, outer ones first; none inside another.
fn regions_in<'h>(unit: &Unit, s: &'h Stmt, out: &mut Vec<(&'h Stmt, DirectiveId, Compute)>) {
    if let Some((d, c)) = compute_directive(unit, s) {
        // `endscop` right behind `scop`: there is not even a statement.
        let nothing = matches!(&s.kind, StmtKind::Block(list) if list.is_empty());
        if !nothing || unit.directive(d).kind != DirectiveKind::Scop {
            out.push((s, d, c));
        }
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
        if verify::verify(ctx, op) {
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
            wrong: true,
            directive,
        });
        out.diagnostics.extend(said);
        op.erase(ctx);
    }
    if !verify::verify(ctx, out.module) {
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
    (OpKind::op(f), entry)
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
            op.erase(ctx);
            Err(r)
        }
    }
}

fn whole_function(l: &mut Lowerer, f: &Function) -> Result<()> {
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
        result: result.map(|c| LValue::whole(Object::Cell(c), &f.result)),
        result_cells: result.into_iter().collect(),
    };
    l.stmt(&f.body)?;
    let values: Vec<_> = result.into_iter().map(|c| l.read(c)).collect();
    l.op(func::ReturnOp::NAME, &values, &[], &[]);
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
    let mut to_memory = Vec::new();
    loop {
        let (op, entry) = function_op(ctx, module, request.name, (&[], &[]), loc);
        let mut l = Lowerer::new(ctx, unit, Mode::Region, request.function, op, entry);
        l.to_memory.clone_from(&to_memory);
        let refusal = match region::region(&mut l, request) {
            Ok(region) => {
                let tables = std::mem::take(&mut l.needs.globals);
                define_globals(ctx, unit, module, &tables);
                return Ok((op, region));
            }
            Err(r) => r,
        };
        let more = std::mem::take(&mut l.to_memory);
        op.erase(ctx);
        if more.len() > to_memory.len() {
            // A scalar that was taken for a value is changed through a pointer.
            to_memory = more;
            continue;
        }
        return Err(Kept {
            function: unit.functions[request.function].name.clone(),
            span: refusal.span,
            reason: refusal.reason,
            wrong: refusal.wrong,
            directive: request.directive,
        });
    }
}

/// The place of a span in the file as the user wrote it.
fn location(ctx: &Context, unit: &Unit, span: Span) -> Loc {
    match unit.source.loc(span.start as usize) {
        DiagLoc::Pos { file, line, column } => ctx.file_loc(&file, line, column),
        _ => Loc::Unknown,
    }
}
