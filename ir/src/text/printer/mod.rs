//! The printer of MLIR's textual IR.
//!
//! Values are numbered per isolated region, outer regions before inner ones, as
//! upstream does, so that printing what was parsed from printed text gives the same
//! text. Affine maps and sets get aliases (`#map`), which a first pass that throws
//! its output away finds in the order in which they are used.

mod attrs;
mod elements;
mod locations;
mod names;
mod ops;
mod types;

use crate::attr::Attr;
use crate::context::Context;
use crate::op::Op;
use crate::types::Type;
use rustc_hash::FxHashMap;
use std::fmt::Write as _;

/// How IR is written.
#[derive(Debug, Clone, Default)]
pub struct PrintOptions {
    /// The generic form for every op.
    pub generic: bool,
    /// Locations behind ops and block arguments.
    pub debug_info: bool,
    /// No aliases, so that each op's text stands alone.
    pub local_scope: bool,
    /// Dense elements of more elements than this print as `dense_resource<__elided__>`.
    pub elide_elements_over: Option<usize>,
    /// No nested regions: `{...}` stands for each.
    pub skip_regions: bool,
    /// Values are called by the names in their locations, where there are any.
    pub names_from_locations: bool,
}

/// The text of an op, a newline at the end.
pub fn print(ctx: &Context, op: Op, options: &PrintOptions) -> String {
    let mut p = Printer::new(ctx, options.clone());
    if !options.local_scope && ctx.has_maps.get() {
        p.collect_aliases(op);
    }
    p.names.enter_path(ctx, op);
    p.op(op);
    p.out.push('\n');
    p.resources();
    p.out
}

impl Context {
    /// An op with all that is in it, in custom form.
    pub fn op_text(&self, op: Op) -> String {
        print(self, op, &PrintOptions::default())
    }

    /// A type, as written in IR.
    pub fn type_text(&self, ty: Type) -> String {
        let mut p = Printer::new(
            self,
            PrintOptions {
                local_scope: true,
                ..Default::default()
            },
        );
        p.ty(ty);
        p.out
    }

    /// An attribute, as written in IR.
    pub fn attr_text(&self, a: Attr) -> String {
        let mut p = Printer::new(
            self,
            PrintOptions {
                local_scope: true,
                ..Default::default()
            },
        );
        p.attr(a);
        p.out
    }

    /// The types, separated by commas, each in single quotes.
    pub fn quoted_types(&self, types: &[Type]) -> String {
        let v: Vec<String> = types
            .iter()
            .map(|t| format!("'{}'", self.type_text(*t)))
            .collect();
        v.join(", ")
    }
}

/// See the [module](self). Op syntax gets it to print itself.
pub struct Printer<'c> {
    /// The context of what is printed.
    pub ctx: &'c Context,
    /// How to print.
    pub options: PrintOptions,
    out: String,
    indent: usize,
    names: names::Names,
    aliases: FxHashMap<Attr, String>,
    /// Attributes that want an alias, in order of use, while they are collected.
    wanted: Option<Vec<Attr>>,
    default_dialects: Vec<&'static str>,
    /// Keys of the resources used.
    used_resources: Vec<String>,
}

impl<'c> Printer<'c> {
    fn new(ctx: &'c Context, options: PrintOptions) -> Self {
        Printer {
            ctx,
            out: String::new(),
            indent: 0,
            names: names::Names::new(options.names_from_locations),
            options,
            aliases: FxHashMap::default(),
            wanted: None,
            default_dialects: vec!["builtin"],
            used_resources: Vec::new(),
        }
    }

    /// Find what needs an alias by printing once, then write the definitions.
    fn collect_aliases(&mut self, op: Op) {
        let mut dry = Printer::new(self.ctx, self.options.clone());
        dry.wanted = Some(Vec::new());
        dry.names.enter_path(self.ctx, op);
        dry.op(op);
        let wanted = dry.wanted.take().unwrap_or_default();
        let (maps, sets): (Vec<Attr>, Vec<Attr>) = wanted
            .into_iter()
            .partition(|a| a.as_map(self.ctx).is_some());
        for (base, list) in [("map", maps), ("set", sets)] {
            // Maps that differ only in how their sums are grouped are written alike, and
            // read back as one.
            let mut by_text = FxHashMap::<String, String>::default();
            for a in list {
                let text = self.ctx.attr_text(a);
                if let Some(name) = by_text.get(&text) {
                    self.aliases.insert(a, name.clone());
                    continue;
                }
                let name = match by_text.len() {
                    0 => format!("#{base}"),
                    i => format!("#{base}{i}"),
                };
                let _ = writeln!(self.out, "{name} = {text}");
                self.aliases.insert(a, name.clone());
                by_text.insert(text, name);
            }
        }
    }

    /// `{-# dialect_resources: ... #-}` for the resources that were printed.
    fn resources(&mut self) {
        self.used_resources.sort();
        self.used_resources.dedup();
        let entry = |k: &String| {
            let blob = self.ctx.resource(k)?;
            let mut key = String::new();
            if attrs::is_bare(k) {
                key.push_str(k);
            } else {
                key.push('"');
                crate::text::literal::escape_into(&mut key, k.as_bytes());
                key.push('"');
            }
            Some(format!("      {key}: {blob}"))
        };
        let entries: Vec<String> = self.used_resources.iter().filter_map(entry).collect();
        if !entries.is_empty() {
            let _ = write!(
                self.out,
                "\n{{-#\n  dialect_resources: {{\n    builtin: {{\n{}\n    }}\n  }}\n#-}}\n",
                entries.join(",\n")
            );
        }
    }

    // ---- the vocabulary of op syntax ----

    /// Text as it stands.
    pub fn write(&mut self, s: &str) {
        self.out.push_str(s);
    }

    /// End the line and indent the next.
    pub fn newline(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent {
            self.out.push(' ');
        }
    }

    /// Print a list with `, ` between its elements.
    pub fn list<T: Copy>(&mut self, items: &[T], mut f: impl FnMut(&mut Self, T)) {
        for (i, t) in items.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            f(self, *t);
        }
    }

    /// `write!` into the output.
    pub fn fmt(&mut self, args: std::fmt::Arguments<'_>) {
        let _ = self.out.write_fmt(args);
    }

    /// Run `f` on the output buffer, for code that prints through `fmt::Write`.
    pub(crate) fn with_out<R>(&mut self, f: impl FnOnce(&Self, &mut String) -> R) -> R {
        let mut out = std::mem::take(&mut self.out);
        let r = f(self, &mut out);
        self.out = out;
        r
    }
}
