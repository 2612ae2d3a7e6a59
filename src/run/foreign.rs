//! What of a program nothing here runs: ops and values of other dialects. It does not matter where
//! the function that is called does not reach it.

use super::RunError;
use super::executor::Program;
use crate::dialects::attributes::TERRACE_C_FUNCTION;
use crate::dialects::func::FuncOp;
use crate::ir::diag::Diagnostic;
use crate::ir::symbols::{op_symbol_refs, symbol_is_used};
use crate::ir::{Context, Op, Type, TypeData};
use std::collections::BTreeMap;

/// Why the functions that were left out cannot run, in the order of the program.
#[derive(Debug, Clone, Default)]
pub(super) struct LeftOut {
    functions: Vec<(String, Diagnostic)>,
    /// The first function that other programs may call is among them.
    first: bool,
}

impl LeftOut {
    /// Nothing, where a function is there: the one of this name, or the first one.
    fn has(&self, name: Option<&str>) -> Result<(), Vec<Diagnostic>> {
        let found = match name {
            Some(n) => {
                let n = n.trim_start_matches('@');
                self.functions.iter().find(|(f, _)| f == n)
            }
            None => self.functions.first().filter(|_| self.first),
        };
        found.map_or(Ok(()), |(_, d)| Err(vec![d.clone()]))
    }

    /// Nothing, where no function was left out.
    fn none(&self) -> Result<(), Vec<Diagnostic>> {
        match self.functions.is_empty() {
            true => Ok(()),
            false => Err(self.functions.iter().map(|(_, d)| d.clone()).collect()),
        }
    }
}

impl Program {
    /// The function to call: the one of this name, or the first public one.
    ///
    /// # Errors
    ///
    /// That it reaches ops of other dialects, with their places, and as [`super::entry::Entry::find`].
    pub fn callable(&self, name: Option<&str>) -> Result<super::entry::Entry, RunError> {
        self.left_out.has(name)?;
        self.entry(name).map_err(|m| RunError::Usage(vec![m]))
    }

    /// Nothing, where all of the program's functions can be compiled.
    ///
    /// # Errors
    ///
    /// Those that reach ops of other dialects.
    pub fn is_whole(&self) -> Result<(), Vec<Diagnostic>> {
        self.left_out.none()
    }
}

/// Takes what is of other dialects out of a module, and all that refers to it.
///
/// # Errors
///
/// Ops that a dialect is asked for which has none of that name.
pub(super) fn leave_out(ctx: &mut Context, module: Op) -> Result<LeftOut, Vec<Diagnostic>> {
    let ops = module.body(ctx, 0).ops(ctx);
    let mut out: BTreeMap<usize, Diagnostic> = BTreeMap::new();
    for (i, op) in ops.iter().enumerate() {
        let mut said = None;
        let mut misspelt = false;
        op.walk(ctx, &mut |o| {
            if misspelt || said.is_some() {
                return;
            }
            if let Some((m, wrong)) = unknown(ctx, o) {
                o.error(ctx, m);
                misspelt = wrong;
                said = ctx.take_diagnostics().pop();
            }
        });
        match said {
            Some(d) if misspelt => return Err(vec![d]),
            Some(d) => {
                out.insert(i, d);
            }
            None => {}
        }
    }
    if out.is_empty() {
        return Ok(LeftOut::default());
    }
    spread(ctx, &ops, &mut out);
    let public = |op: &Op| {
        let f = op.cast::<FuncOp>(ctx)?;
        (!f.is_private(ctx) && !f.is_declaration(ctx)).then(|| f.name(ctx).to_string())
    };
    let mut left = LeftOut::default();
    let mut seen = false;
    for (i, op) in ops.iter().enumerate() {
        let Some(name) = public(op) else { continue };
        if let Some(d) = out.get(&i) {
            left.first |= !seen;
            left.functions.push((name, d.clone()));
        }
        seen = true;
    }
    for i in out.keys() {
        ops[*i].erase(ctx);
    }
    Ok(left)
}

/// Makes elements of the data that stand at the end of the file.
///
/// # Errors
///
/// Data that are not there, or are not what the type says.
pub(super) fn bring_in_data(ctx: &mut Context, module: Op) -> Result<(), Vec<Diagnostic>> {
    let mut wrong = false;
    for op in module.pre_order(ctx) {
        for (name, value) in op.attrs(ctx) {
            let name = ctx.str(name).to_string();
            // What others attached does not matter.
            let own = op.def(ctx).is_some_and(|d| d.is_inherent(&name));
            match value.resource_elements(ctx).filter(|_| own) {
                None => {}
                Some(Ok(elements)) => op.set_attr(ctx, &name, elements),
                Some(Err(m)) => {
                    op.error(ctx, m);
                    wrong = true;
                }
            }
        }
    }
    match wrong {
        true => Err(ctx.take_diagnostics()),
        false => Ok(()),
    }
}

/// Functions without a body that are called are those of C which `--load` finds, where they take
/// numbers of one type and give one.
pub(super) fn name_c_functions(ctx: &Context, module: Op) {
    for op in module.body(ctx, 0).ops(ctx) {
        let declared = op.cast::<FuncOp>(ctx).filter(|f| f.is_declaration(ctx));
        let Some(f) = declared else { continue };
        let numbers = [f.inputs(ctx), f.results(ctx)].concat();
        let one_type = numbers.iter().all(|t| t == &numbers[0]);
        let float = numbers
            .first()
            .is_some_and(|t| [ctx.f32(), ctx.f64()].contains(t));
        if f.results(ctx).len() == 1 && one_type && float && symbol_is_used(ctx, op, module) {
            op.set_attr(ctx, TERRACE_C_FUNCTION, ctx.unit());
        }
    }
}

/// What cannot run without what is left out is left out, too, for the same reason.
fn spread(ctx: &Context, ops: &[Op], out: &mut BTreeMap<usize, Diagnostic>) {
    let mut refers: Vec<Vec<String>> = Vec::new();
    for op in ops {
        let mut names = Vec::new();
        op.walk(ctx, &mut |o| {
            op_symbol_refs(ctx, o, &mut |a| {
                if let Some(path) = a.as_symbol(ctx) {
                    names.extend(path.first().map(|s| ctx.str(*s).to_string()));
                }
            });
        });
        refers.push(names);
    }
    loop {
        let gone: BTreeMap<&str, usize> = out
            .keys()
            .filter_map(|i| ops[*i].symbol_name(ctx).map(|n| (n, *i)))
            .collect();
        let mut more = Vec::new();
        for (i, names) in refers.iter().enumerate() {
            if !out.contains_key(&i)
                && let Some(j) = names.iter().find_map(|n| gone.get(n.as_str()))
            {
                more.push((i, out[j].clone()));
            }
        }
        if more.is_empty() {
            return;
        }
        out.extend(more);
    }
}

/// Dialects that are read and written, and whose ops have no code on any target.
const MEMORYLESS: [&str; 3] = ["bufferization", "linalg", "tensor"];

/// What is said of an op that is not known here, or whose values are not; and whether its dialect is
/// here with all its ops, so that the name is a slip of the pen.
fn unknown(ctx: &Context, op: Op) -> Option<(String, bool)> {
    if op.def(ctx).is_none() {
        let name = op.name(ctx);
        let advice = ctx.foreign_advice(name);
        let known = ctx.dialect(op.dialect(ctx)).is_some();
        return Some(match known && advice.is_empty() {
            true => (
                format!("is no op of the dialect '{}'", op.dialect(ctx)),
                true,
            ),
            false => (
                format!("cannot run: nothing here knows its dialect{advice}"),
                false,
            ),
        });
    }
    if MEMORYLESS.contains(&op.dialect(ctx)) {
        let advice = ctx.foreign_advice(op.name(ctx));
        let m = format!(
            "cannot run as it is; --mlir-import brings it down, or by hand: {}",
            advice.trim_start_matches("; ")
        );
        return Some((m, false));
    }
    if op.dialect(ctx) == "transform" {
        let m = "cannot run: it is of a script of transformations".to_string();
        return Some((m, false));
    }
    let arguments = op
        .regions(ctx)
        .into_iter()
        .flat_map(|r| r.blocks(ctx))
        .flat_map(|b| b.args(ctx))
        .map(|v| v.ty(ctx));
    let inputs: Vec<Type> = op.cast::<FuncOp>(ctx).map_or_else(Vec::new, |f| {
        [f.inputs(ctx).to_vec(), f.results(ctx).to_vec()].concat()
    });
    let mut types = op
        .result_types(ctx)
        .into_iter()
        .chain(arguments)
        .chain(inputs);
    let foreign = types.find(|t| is_foreign(ctx, *t))?;
    Some((
        format!(
            "cannot run: nothing here knows the dialect of the type '{}'",
            ctx.type_text(foreign)
        ),
        false,
    ))
}

fn is_foreign(ctx: &Context, t: Type) -> bool {
    match t.data(ctx) {
        TypeData::Opaque { .. } => true,
        _ => t.element(ctx).is_some_and(|e| is_foreign(ctx, e)),
    }
}
