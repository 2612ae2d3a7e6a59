//! What an assertion about the indices of an array says when it fails: which are asked for, and which there are.
//!
//! Front ends leave both on the assertion, as a map of the function's first arguments (`terrace.range`). Targets
//! know only that it failed, so the numbers are put to it here, of whichever target.

use super::bind::Value;
use super::entry::Entry;
use super::executor::{Executor, Program};
use crate::dialects::attributes::TERRACE_RANGE;
use crate::dialects::cf::AssertOp;
use crate::ir::OpKind;
use crate::ir::affine::AffineMap;
use crate::ir::diag::{DiagLoc, Diagnostic};
use crate::runtime::profile::Profile;

/// An assertion, and what it is about.
struct Range {
    loc: DiagLoc,
    message: String,
    map: AffineMap,
}

impl Range {
    /// In words, for a call with these arguments.
    fn words(&self, args: &[Value]) -> Option<String> {
        let numbers = args.iter().take(self.map.num_symbols() as usize);
        let numbers: Option<Vec<i64>> = numbers
            .map(|v| match v {
                Value::Scalar(s) => i64::try_from(s.as_int()).ok(),
                Value::Array(_) => None,
            })
            .collect();
        let found = self.map.eval(&[], &numbers?)?;
        let [least, greatest, low, high, by] = found[..] else {
            return None;
        };
        let asked = match least == greatest {
            true => format!("the index is {least}"),
            false => format!("the index goes from {least} to {greatest}"),
        };
        let steps = match by {
            1 => String::new(),
            n => format!(" in steps of {n}"),
        };
        Some(format!(
            "{asked}, and the array from {low} to {high}{steps}"
        ))
    }
}

/// An executor that says what the failed assertions of a program are about.
struct Explaining {
    inner: Box<dyn Executor>,
    ranges: Vec<Range>,
}

/// The assertions of a function that say what they are about; nothing of a program without any.
pub(super) struct Ranges(Vec<Range>);

impl Ranges {
    pub fn of(program: &Program, entry: &Entry) -> Ranges {
        let ctx = &program.ctx;
        let ops = program.module.body(ctx, 0).ops(ctx).into_iter();
        let function = ops
            .filter(|op| op.symbol_name(ctx) == Some(entry.name.as_str()))
            .flat_map(|f| f.find_all::<AssertOp>(ctx));
        let ranges = function.filter_map(|a| {
            let op = a.op();
            Some(Range {
                loc: ctx.diag_loc(op.loc(ctx)),
                message: op.str_attr(ctx, "msg")?.to_string(),
                map: op.attr(ctx, TERRACE_RANGE)?.as_map(ctx)?.clone(),
            })
        });
        Ranges(ranges.collect())
    }

    /// The executor of that program, with notes where it fails.
    pub fn explain(self, inner: Box<dyn Executor>) -> Box<dyn Executor> {
        match self.0.is_empty() {
            true => inner,
            false => Box::new(Explaining {
                inner,
                ranges: self.0,
            }),
        }
    }
}

impl Executor for Explaining {
    fn call(&mut self, args: &mut [Value]) -> Result<Vec<Value>, Vec<Diagnostic>> {
        let said = match self.inner.call(args) {
            Ok(results) => return Ok(results),
            Err(said) => said,
        };
        let explained = said.into_iter().map(|d| {
            let range = (self.ranges.iter())
                .find(|r| r.loc == d.loc && d.message.ends_with(r.message.as_str()));
            match range.and_then(|r| r.words(args)) {
                Some(words) => {
                    let loc = d.loc.clone();
                    d.with_note(loc, words)
                }
                None => d,
            }
        });
        Err(explained.collect())
    }

    fn take_profile(&mut self) -> Profile {
        self.inner.take_profile()
    }

    fn place(&self) -> String {
        self.inner.place()
    }

    fn note(&self) -> Option<&str> {
        self.inner.note()
    }
}
