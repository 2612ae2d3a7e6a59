//! Schedules beside a program: read from a file before it goes to a GPU, and the one that
//! was chosen for it.

use super::bind::Value;
use super::entry::{Entry, ParamKind};
use super::executor::Program;
use crate::dialects::schedule::SequenceOp;
use crate::ir::OpKind;
use crate::ir::diag::Diagnostic;
use crate::ir::text::parser::{Source, parse};
use crate::ir::verify::verify;
use crate::runtime::argspec::{ArgSpec, ArgValue, Number};

/// A file of schedules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleText {
    /// As the user names it.
    pub name: String,
    /// MLIR with a `schedule.sequence` or several.
    pub text: String,
}

/// Puts the schedules of a file into a program, for `apply-schedule` to find.
///
/// # Errors
///
/// Every error of the text; that it holds no schedule.
pub(super) fn take_in(program: &mut Program, given: &ScheduleText) -> Result<(), Vec<Diagnostic>> {
    let ctx = &mut program.ctx;
    let holder = parse(ctx, &Source::new(&given.name, &given.text));
    let Some(holder) = holder.filter(|h| verify(ctx, *h)) else {
        return Err(ctx.take_diagnostics());
    };
    let all = holder.find_all::<SequenceOp>(ctx);
    if all.is_empty() {
        let m = "there is no schedule in this file, expected 'schedule.sequence'";
        ctx.error(holder.loc(ctx), m);
        return Err(ctx.take_diagnostics());
    }
    let body = program.module.body(ctx, 0);
    for s in all {
        s.op().move_to_end(ctx, body);
    }
    holder.erase(ctx);
    Ok(())
}

/// The schedules that passes left in a program, as text; they are taken out of it.
pub(super) fn take_out(program: &mut Program) -> String {
    let ctx = &mut program.ctx;
    let mut out = String::new();
    for s in program.module.find_all::<SequenceOp>(ctx) {
        if s.stage(ctx).is_some() {
            out.push_str(&ctx.op_text(s.op()));
            if !out.ends_with('\n') {
                out.push('\n');
            }
            s.op().erase(ctx);
        }
    }
    out
}

/// The sizes of arrays and the whole numbers that a function is called with, as passes name
/// them: `arg0.1` for a dimension, `arg2` for a number.
pub(crate) fn sizes_of_values(values: &[Value]) -> Vec<(String, i64)> {
    let mut out = Vec::new();
    for (i, v) in values.iter().enumerate() {
        match v {
            Value::Array(b) => {
                let dims = b.shape().iter().enumerate();
                out.extend(dims.map(|(d, n)| (format!("arg{i}.{d}"), *n as i64)));
            }
            Value::Scalar(s) => {
                let n = s.as_f64();
                if n.fract() == 0.0 && n.abs() < 1e15 {
                    out.push((format!("arg{i}"), n as i64));
                }
            }
        }
    }
    out
}

/// The same as far as the program suggests arguments, with `sizes` in place of those of
/// named dimensions.
pub(super) fn suggested_sizes(entry: &Entry, sizes: &[(String, usize)]) -> Vec<(String, i64)> {
    let mut out = Vec::new();
    for (i, p) in entry.params.iter().enumerate() {
        let init = p
            .init
            .as_ref()
            .and_then(|s| ArgSpec::parse(&format!("{i}={s}")).ok());
        let suggested = match init.map(|s| s.value) {
            Some(ArgValue::Fill { shape, .. }) => shape,
            Some(ArgValue::Number(Number::Int(n))) => {
                out.extend(i64::try_from(n).ok().map(|n| (format!("arg{i}"), n)));
                None
            }
            _ => None,
        };
        let ParamKind::Array { shape, dims, .. } = &p.kind else {
            continue;
        };
        for d in 0..shape.len() {
            let named = dims
                .get(d)
                .and_then(|n| sizes.iter().rev().find(|s| s.0 == *n));
            let suggested = suggested.as_ref().and_then(|s| s.get(d).copied());
            if let Some(n) = named.map(|s| s.1).or(suggested) {
                out.push((format!("arg{i}.{d}"), n as i64));
            }
        }
    }
    out
}
