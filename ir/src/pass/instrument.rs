//! What is shown of a pipeline while it runs.

use super::PassInfo;
use super::fingerprint::fingerprint;
use crate::context::Context;
use crate::op::Op;
use crate::text::printer::{PrintOptions, print};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// Where the text of a run goes.
pub trait PassOutput {
    /// Show `text`, which ends in a newline.
    fn show(&mut self, text: &str);

    /// Write a file as a whole or not at all, such as with
    /// [`write_atomically`](super::write_atomically). An error says what went wrong.
    fn save(&mut self, path: &Path, text: &str) -> Result<(), String>;

    /// Make a folder, and those around it, where there is none. An error says what went wrong.
    fn make_folder(&mut self, path: &Path) -> Result<(), String> {
        Err(format!("nothing makes the folder '{}'", path.display()))
    }
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

/// Files of a folder for prints of the IR: below it each op has a folder, named after its kind and
/// its symbol, in that of the op around it. A file is named after its pass, and in front of that
/// stands how often the ops around it and the op itself had been printed before.
#[derive(Debug, Clone, Default)]
pub struct IrTree {
    folder: PathBuf,
    /// How often each op was printed.
    prints: RefCell<FxHashMap<Op, u32>>,
}

impl IrTree {
    /// A tree below this folder, which need not be there.
    pub fn new(folder: impl Into<PathBuf>) -> IrTree {
        IrTree {
            folder: folder.into(),
            prints: RefCell::default(),
        }
    }

    /// The file for the next print of an op.
    fn path(&self, ctx: &Context, pass: &PassInfo, op: Op) -> PathBuf {
        let mut prints = self.prints.borrow_mut();
        let (mut folders, mut counts) = (Vec::new(), Vec::new());
        let mut around = Some(op);
        while let Some(o) = around {
            // Those around the op count by their last print. One that was not printed yet counts as if
            // it had been, so that its own next file stands behind.
            counts.push(match o == op {
                true => prints.get(&o).copied().unwrap_or(0),
                false => *prints.entry(o).or_insert(1) - 1,
            });
            let symbol = o.symbol_name(ctx).unwrap_or("no-symbol-name");
            let name = format!("{}_{symbol}", o.name(ctx).replace('.', "_"));
            folders.push(name.replace(['/', '\\'], "_"));
            around = o.parent(ctx);
        }
        *prints.entry(op).or_default() += 1;
        let mut path = self.folder.clone();
        path.extend(folders.iter().rev());
        let counts: Vec<String> = counts.iter().rev().map(u32::to_string).collect();
        path.join(format!("{}_{}.mlir", counts.join("_"), pass.name))
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
    /// Where each print is a file of its own.
    pub tree: Option<IrTree>,
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
            self.dump(ctx, "Before", pass, op, out);
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
        self.dump(ctx, "After", pass, op, out);
    }

    pub(super) fn after_failure(
        &self,
        ctx: &Context,
        pass: &PassInfo,
        op: Op,
        out: &mut dyn PassOutput,
    ) {
        if self.only_after_failure || self.after.has(pass) {
            // A pass that fails may leave IR that only the generic form can show.
            let mut generic = self.clone();
            generic.options.generic = true;
            generic.dump(ctx, "After Failed", pass, op, out);
        }
    }

    /// Print the IR; `when` is `Before`, `After` or `After Failed`.
    fn dump(&self, ctx: &Context, when: &str, pass: &PassInfo, op: Op, out: &mut dyn PassOutput) {
        let (when, failed) = when.split_once(' ').unwrap_or((when, ""));
        let failed = if failed.is_empty() { "" } else { " Failed" };
        let mut text = format!(
            "// -----// IR Dump {when} {}{failed} ({})",
            pass.title, pass.name
        );
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
        let Some(tree) = &self.tree else {
            return out.show(&text);
        };
        let path = tree.path(ctx, pass, op);
        let folder = path.parent().map_or(Ok(()), |f| out.make_folder(f));
        if let Err(e) = folder.and_then(|()| out.save(&path, &text)) {
            out.show(&format!("error: cannot write '{}': {e}\n", path.display()));
        }
    }
}
