//! Running pipelines.

use super::instrument::{IrPrinting, PassOutput};
use super::manager::{Instance, Item, OpPassManager, PassManager};
use super::reproducer;
use super::{PassContext, PassFailed, PassResult};
use crate::context::Context;
use crate::diag::{DiagLoc, Diagnostic, Severity};
use crate::op::Op;
use crate::opdef::traits;
use crate::verify::{verify, verify_around};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// What a run carries from pass to pass.
struct Run<'r> {
    verify_each: bool,
    printing: &'r IrPrinting,
    out: &'r mut dyn PassOutput,
    /// The pass at work, and the op it is at, for reports of failures.
    at: Option<(&'static str, String)>,
}

impl PassManager {
    /// Run all passes on `op`. Where one fails, the rest does not run. What a pass
    /// panics with is reported as an error; the IR is then good for nothing.
    pub fn run(&mut self, ctx: &mut Context, op: Op, out: &mut dyn PassOutput) -> PassResult {
        if let Some(anchor) = &self.root.anchor
            && op.name(ctx) != anchor
        {
            let m = format!("can't run '{anchor}' pass manager on '{}' op", op.name(ctx));
            ctx.error(op.loc(ctx), m);
            return Err(PassFailed);
        }
        // The text of the pipeline as it was given, before pipelines are merged.
        let saved = self.reproducer.clone().map(|path| {
            let text = reproducer::text(ctx, op, &self.root.text(), self.verify_each);
            (path, text)
        });
        self.root.coalesce();
        let mut run = Run {
            verify_each: self.verify_each,
            printing: &self.printing,
            out,
            at: None,
        };
        let root = &mut self.root;
        let start = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| run.pipeline(root, ctx, op)));
        self.root.time += start.elapsed();
        let at = run.at.take();
        let (result, panicked) = match outcome {
            Ok(r) => (r, false),
            Err(payload) => {
                let what = payload
                    .downcast_ref::<&str>()
                    .map(|s| s.to_string())
                    .or_else(|| payload.downcast_ref::<String>().cloned())
                    .unwrap_or_else(|| "unknown panic".to_string());
                let who = at.as_ref().map_or("a pass", |a| a.0);
                let m = format!("pass '{who}' panicked: {what}");
                // The op may be gone, and with it its location.
                ctx.emit(Diagnostic::new(Severity::Error, DiagLoc::Unknown, m));
                (Err(PassFailed), true)
            }
        };
        if let (Err(PassFailed), Some((path, text))) = (&result, saved) {
            let loc = if panicked {
                DiagLoc::Unknown
            } else {
                ctx.diag_loc(op.loc(ctx))
            };
            let wrote = match out.save(&path, &text) {
                Ok(()) => format!("reproducer generated at `{}`", path.display()),
                Err(e) => format!("no reproducer was written to `{}`: {e}", path.display()),
            };
            let what = at.map_or(String::new(), |(p, o)| format!("[`{p}` on {o}]: "));
            let d = Diagnostic::new(
                Severity::Error,
                loc.clone(),
                "Failures have been detected while processing an MLIR pass pipeline",
            );
            ctx.emit(d.with_note(
                loc,
                format!("Pipeline failed while executing {what}{wrote}"),
            ));
        }
        result
    }
}

impl Run<'_> {
    fn pipeline(&mut self, pm: &mut OpPassManager, ctx: &mut Context, op: Op) -> PassResult {
        for item in &mut pm.items {
            match item {
                Item::Pass(p) => self.pass(p, ctx, op)?,
                Item::Nested { pipelines, time } => {
                    let start = Instant::now();
                    let result = self.nested(pipelines, ctx, op);
                    *time += start.elapsed();
                    result?;
                }
            }
        }
        Ok(())
    }

    /// Run on each op directly inside the pipeline for it. Where it fails on one
    /// op, the others still get theirs, so that all errors show.
    fn nested(&mut self, pipelines: &mut [OpPassManager], ctx: &mut Context, op: Op) -> PassResult {
        let mut result = Ok(());
        for block in op.blocks(ctx) {
            for inner in block.ops(ctx) {
                let name = inner.name(ctx);
                let of_name = pipelines
                    .iter()
                    .position(|p| p.anchor.as_deref() == Some(name));
                let generic = || {
                    let takes = may_run_on_any(ctx, inner);
                    pipelines
                        .iter()
                        .position(|p| p.anchor.is_none())
                        .filter(|_| takes)
                };
                let Some(i) = of_name.or_else(generic) else {
                    continue;
                };
                let pm = &mut pipelines[i];
                let start = Instant::now();
                let r = self.pipeline(pm, ctx, inner);
                pm.time += start.elapsed();
                if r.is_err() {
                    result = r;
                }
            }
        }
        if result.is_ok() && self.verify_each && !pipelines.is_empty() {
            // What is around may refer to what changed inside.
            result = as_result(verify_around(ctx, op));
        }
        result
    }

    fn pass(&mut self, p: &mut Instance, ctx: &mut Context, op: Op) -> PassResult {
        self.at = Some((p.info.title, describe(ctx, op)));
        can_run(ctx, p, op)?;
        let before = self.printing.before(ctx, p.info, op, self.out);
        let errors = ctx.num_errors();
        let start = Instant::now();
        let mut pc = PassContext {
            ctx,
            statistics: p.info.statistics,
            counts: &mut p.counts,
            shown: String::new(),
        };
        let mut result = p.pass.run(&mut pc, op);
        p.time += start.elapsed();
        if !pc.shown.is_empty() {
            self.out.show(&pc.shown);
        }
        if result.is_err() && ctx.num_errors() == errors {
            op.error(
                ctx,
                format!("pass '{}' failed without saying why", p.info.name),
            );
        }
        if result.is_ok() && self.verify_each {
            result = as_result(verify(ctx, op));
        }
        match result {
            Ok(()) => self.printing.after(ctx, p.info, op, &before, self.out),
            Err(PassFailed) => self.printing.after_failure(ctx, p.info, op, self.out),
        }
        result
    }
}

fn as_result(sound: bool) -> PassResult {
    if sound { Ok(()) } else { Err(PassFailed) }
}

fn describe(ctx: &Context, op: Op) -> String {
    let name = op.name(ctx);
    match op.symbol_name(ctx) {
        Some(s) => format!("'{name}' operation: @{s}"),
        None => format!("'{name}' operation"),
    }
}

/// A pipeline for any op takes ops that nothing nested can see out of.
fn may_run_on_any(ctx: &Context, op: Op) -> bool {
    op.has_trait(ctx, traits::ISOLATED)
}

fn can_run(ctx: &Context, p: &Instance, op: Op) -> PassResult {
    let fail = |m: String| {
        op.error(ctx, m);
        Err(PassFailed)
    };
    match op.def(ctx) {
        None => fail("trying to schedule a pass on an unregistered operation".to_string()),
        Some(d) if !d.has(traits::ISOLATED) => fail(
            "trying to schedule a pass on an operation not marked as 'IsolatedFromAbove'"
                .to_string(),
        ),
        Some(d) if p.info.anchor.is_some_and(|a| a != d.name) => fail(format!(
            "trying to schedule pass '{}' on an unsupported operation",
            p.info.title
        )),
        Some(_) => Ok(()),
    }
}
