//! What is shown of a pipeline while it runs.

use super::PassInfo;
use super::fingerprint::fingerprint;
use crate::context::Context;
use crate::op::Op;
use crate::text::printer::{PrintOptions, print};
use std::path::Path;

/// Where the text of a run goes.
pub trait PassOutput {
    /// Show `text`, which ends in a newline.
    fn show(&mut self, text: &str);

    /// Write a file as a whole or not at all, such as with
    /// [`write_atomically`](super::write_atomically). An error says what went wrong.
    fn save(&mut self, path: &Path, text: &str) -> Result<(), String>;
}

/// Which passes to print the IR for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PassFilter {
    /// No pass.
    #[default]
    None,
    /// Every pass.
    All,
    /// Those with one of these names.
    Named(Vec<String>),
}

impl PassFilter {
    fn has(&self, pass: &PassInfo) -> bool {
        match self {
            PassFilter::None => false,
            PassFilter::All => true,
            PassFilter::Named(names) => names.iter().any(|n| n == pass.name),
        }
    }
}

/// When and how to print the IR around passes.
#[derive(Debug, Clone, Default)]
pub struct IrPrinting {
    /// The passes to print the IR before.
    pub before: PassFilter,
    /// The passes to print the IR after.
    pub after: PassFilter,
    /// After a pass, print only if it changed something.
    pub only_after_change: bool,
    /// After a pass, print only if it failed.
    pub only_after_failure: bool,
    /// Print the outermost op, not only the one the pass runs on.
    pub module_scope: bool,
    /// What the IR is a part or a form of, for the heads where a tool runs several
    /// pipelines; empty for nothing.
    pub of: String,
    /// How the IR is printed.
    pub options: PrintOptions,
}

/// What [`IrPrinting`] remembers from before a pass to after it.
pub(super) struct Before(Option<u64>);

impl IrPrinting {
    /// Do what a pass does by a call of its own function, with the IR printed around it.
    ///
    /// # Errors
    ///
    /// Those of the call.
    pub fn around<T, E>(
        &self,
        ctx: &mut Context,
        (pass, op): (&PassInfo, Op),
        out: &mut dyn PassOutput,
        call: impl FnOnce(&mut Context) -> Result<T, E>,
    ) -> Result<T, E> {
        let before = self.before(ctx, pass, op, out);
        let result = call(ctx);
        match &result {
            Ok(_) => self.after(ctx, pass, op, &before, out),
            Err(_) => self.after_failure(ctx, pass, op, out),
        }
        result
    }

    pub(super) fn before(
        &self,
        ctx: &Context,
        pass: &PassInfo,
        op: Op,
        out: &mut dyn PassOutput,
    ) -> Before {
        if self.before.has(pass) {
            self.dump(
                ctx,
                &format!("Before {} ({})", pass.title, pass.name),
                op,
                out,
            );
        }
        let wanted = self.only_after_change && self.after.has(pass);
        Before(wanted.then(|| fingerprint(ctx, op)))
    }

    pub(super) fn after(
        &self,
        ctx: &Context,
        pass: &PassInfo,
        op: Op,
        before: &Before,
        out: &mut dyn PassOutput,
    ) {
        if self.only_after_failure || !self.after.has(pass) {
            return;
        }
        if before.0.is_some_and(|b| b == fingerprint(ctx, op)) {
            return;
        }
        self.dump(
            ctx,
            &format!("After {} ({})", pass.title, pass.name),
            op,
            out,
        );
    }

    pub(super) fn after_failure(
        &self,
        ctx: &Context,
        pass: &PassInfo,
        op: Op,
        out: &mut dyn PassOutput,
    ) {
        if self.only_after_failure || self.after.has(pass) {
            let what = format!("After {} Failed ({})", pass.title, pass.name);
            // A pass that fails may leave IR that only the generic form can show.
            let mut generic = self.clone();
            generic.options.generic = true;
            generic.dump(ctx, &what, op, out);
        }
    }

    fn dump(&self, ctx: &Context, what: &str, op: Op, out: &mut dyn PassOutput) {
        let mut text = format!("// -----// IR Dump {what}");
        if !self.of.is_empty() {
            text.push_str(&format!(" of {}", self.of));
        }
        if self.module_scope || !self.of.is_empty() {
            text.push_str(&format!(" ('{}' operation", op.name(ctx)));
            if let Some(name) = op.symbol_name(ctx) {
                text.push_str(&format!(": @{name}"));
            }
            text.push(')');
        }
        text.push_str(" //----- //\n");
        let mut options = self.options.clone();
        let mut shown = op;
        if self.module_scope {
            while let Some(p) = shown.parent(ctx) {
                shown = p;
            }
        } else if op.block(ctx).is_some() {
            options.local_scope = true;
        }
        text.push_str(&print(ctx, shown, &options));
        // A top-level op is followed by two empty lines.
        text.push_str(if shown.block(ctx).is_some() {
            "\n"
        } else {
            "\n\n"
        });
        out.show(&text);
    }
}
