//! Modules as text, and what edits make of them.

use super::edits::{Edit, Pick};
use super::size::Size;
use crate::dialects;
use crate::ir::diag::{Diagnostic, Severity};
use crate::ir::text::parser::{Source, parse};
use crate::ir::text::printer::{PrintOptions, print};
use crate::ir::verify::verify;
use crate::ir::{Context, Op};
use std::ops::Range;
use std::sync::Arc;

/// A module that parses and verifies.
#[derive(Debug, Clone)]
pub struct Module {
    pub text: Arc<str>,
    pub size: Size,
}

/// What modules are read with.
#[derive(Debug, Clone, Copy)]
pub struct Reader {
    pub allow_unregistered: bool,
}

impl Reader {
    fn context(self) -> Context {
        let mut ctx = dialects::context();
        ctx.config.allow_unregistered = self.allow_unregistered;
        ctx
    }

    fn valid(ctx: &mut Context, name: &str, text: &str) -> Option<Op> {
        let source = Source {
            file_name: name,
            text,
            first_line: 1,
        };
        let module = parse(ctx, &source)?;
        verify(ctx, module).then_some(module)
    }

    /// The module of a text, as it is printed.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn read(self, name: &str, text: &str) -> Result<Module, Vec<Diagnostic>> {
        let mut ctx = self.context();
        let module = Self::valid(&mut ctx, name, text);
        let diagnostics = ctx.take_diagnostics();
        match module {
            Some(m) if !diagnostics.iter().any(|d| d.severity == Severity::Error) => {
                let text = print(&ctx, m, &PrintOptions::default());
                let size = Size::of(&ctx, m, &text);
                let text = text.into();
                Ok(Module { text, size })
            }
            _ => Err(diagnostics),
        }
    }

    /// The number of places that an edit comes to.
    pub fn places(self, of: &Module, edit: &Edit) -> usize {
        let mut ctx = self.context();
        let mut nothing = Pick::new(0..0);
        if let Some(module) = Self::valid(&mut ctx, "", &of.text) {
            (edit.apply)(&mut ctx, module, &mut nothing);
        }
        nothing.met()
    }

    /// What an edit makes of a module at some of its places, where that is valid and
    /// smaller.
    pub fn edited(self, of: &Module, edit: &Edit, places: Range<usize>) -> Option<Module> {
        let mut ctx = self.context();
        let module = Self::valid(&mut ctx, "", &of.text)?;
        (edit.apply)(&mut ctx, module, &mut Pick::new(places));
        // What does not verify need not be something that can be printed.
        if !verify(&ctx, module) {
            return None;
        }
        let text = print(&ctx, module, &PrintOptions::default());
        if *text == *of.text {
            return None;
        }
        let made = self.read("", &text).ok()?;
        (made.size < of.size).then_some(made)
    }
}
