//! An op printed by its format.

use super::{Anchor, Element, TypeOf};
use crate::attr::Attr;
use crate::constraint::AttrSyntax;
use crate::context::Context;
use crate::op::Op;
use crate::opdef::{OpDef, traits};
use crate::text::printer::Printer;
use crate::types::{DYNAMIC, Type};

pub(in crate::text) fn print(p: &mut Printer, def: &'static OpDef, op: Op) {
    let format = p.ctx.format_of(def);
    let mut elided: Vec<&str> = Vec::new();
    collect_written(def, &format, &mut elided);
    if def.has(traits::ATTR_SIZED_OPERANDS) {
        elided.push("operandSegmentSizes");
    }
    if def.has(traits::ATTR_SIZED_RESULTS) {
        elided.push("resultSegmentSizes");
    }
    let mut w = Writer {
        def,
        op,
        elided: &elided,
        space: true,
        after_punctuation: false,
        mute: false,
    };
    w.all(p, &format);
}

/// The attributes that the format writes outside the dictionary.
fn collect_written(def: &'static OpDef, elements: &[Element], out: &mut Vec<&'static str>) {
    for e in elements {
        match e {
            Element::Attr(i) | Element::IndexList { statics: i, .. } => {
                out.push(def.attrs[*i].name);
            }
            Element::Group {
                then,
                otherwise,
                anchor,
            } => {
                collect_written(def, then, out);
                collect_written(def, otherwise, out);
                if let Anchor::Attr(i) = anchor {
                    out.push(def.attrs[*i].name);
                }
            }
            _ => {}
        }
    }
}

/// Spacing follows upstream's generated printers, whose state runs through optional
/// groups whether they are printed or not.
struct Writer<'w> {
    def: &'static OpDef,
    op: Op,
    elided: &'w [&'w str],
    space: bool,
    after_punctuation: bool,
    /// Only keep the spacing state, in a group that is not printed.
    mute: bool,
}

impl Writer<'_> {
    fn all(&mut self, p: &mut Printer, elements: &[Element]) {
        for e in elements {
            self.element(p, e);
        }
    }

    fn gap(&mut self, p: &mut Printer) {
        if (self.space || !self.after_punctuation) && !self.mute {
            p.write(" ");
        }
        self.space = true;
        self.after_punctuation = false;
    }

    fn literal(&mut self, p: &mut Printer, s: &str) {
        let c = s.chars().next().unwrap_or(' ');
        let space_before = if s.len() != 1 && s != "->" {
            true
        } else if self.after_punctuation {
            !">)}],".contains(c)
        } else {
            !"<>(){}[],".contains(c)
        };
        if !self.mute {
            if self.space && space_before {
                p.write(" ");
            }
            p.write(s);
        }
        self.space = s.len() != 1 || !"<({[".contains(c);
        self.after_punctuation = c != '_' && !c.is_ascii_alphabetic();
    }

    fn present(&self, p: &Printer, a: Anchor) -> bool {
        let (ctx, op, def) = (p.ctx, self.op, self.def);
        match a {
            Anchor::Operand(i) => def.operand_range(ctx, op, i).is_some_and(|r| !r.is_empty()),
            Anchor::Result(i) => def.result_range(ctx, op, i).is_some_and(|r| !r.is_empty()),
            Anchor::Attr(i) => match op.attr(ctx, def.attrs[i].name) {
                Some(a) => def.attrs[i].constraint.default.is_none_or(|d| d(ctx) != a),
                None => false,
            },
            Anchor::Region(i) => i < op.num_regions(ctx) && !op.region(ctx, i).is_empty(ctx),
            Anchor::Successor(_) => op.num_successors(ctx) > 0,
            Anchor::AllOperands => op.num_operands(ctx) > 0,
            Anchor::Never => false,
        }
    }

    fn element(&mut self, p: &mut Printer, e: &Element) {
        match e {
            Element::Space => {
                if !self.mute {
                    p.write(" ");
                }
                self.space = false;
                self.after_punctuation = false;
                return;
            }
            Element::NoSpace => {
                self.space = false;
                self.after_punctuation = true;
                return;
            }
            Element::Newline => {
                if !self.mute {
                    p.newline();
                }
                self.space = false;
                self.after_punctuation = true;
                return;
            }
            Element::Literal(s) => return self.literal(p, s),
            Element::AttrDict { keyword } => {
                if !self.mute {
                    let mut elided = self.elided.to_vec();
                    elided.extend(self.default_valued(p.ctx));
                    p.attr_dict(self.op, &elided, *keyword);
                }
                self.after_punctuation = false;
                return;
            }
            Element::Group {
                then,
                otherwise,
                anchor,
            } => {
                let was = self.mute;
                let here = !was && self.present(p, *anchor);
                self.mute = !here;
                self.all(p, then);
                self.mute = was || here;
                self.all(p, otherwise);
                self.mute = was;
                return;
            }
            Element::Attr(i)
                if matches!(self.def.attrs[*i].constraint.syntax, AttrSyntax::Unit) =>
            {
                // Its presence is said by the words around it.
                return;
            }
            _ => {}
        }
        self.gap(p);
        if !self.mute {
            self.variable(p, e);
        }
    }

    fn variable(&mut self, p: &mut Printer, e: &Element) {
        let (ctx, op, def) = (p.ctx, self.op, self.def);
        match e {
            Element::Operand(i) => {
                let range = def.operand_range(ctx, op, *i).unwrap_or(0..0);
                let values: Vec<_> = range.map(|k| op.operand(ctx, k)).collect();
                p.values(&values);
            }
            Element::AllOperands => {
                let v = op.operands(ctx);
                p.values(&v);
            }
            Element::IndexList { values, statics } => {
                let numbers = op.attr(ctx, def.attrs[*statics].name);
                let numbers = numbers
                    .and_then(|a| a.as_i64_array(ctx))
                    .unwrap_or_default();
                let mut values = def.operand_range(ctx, op, *values).unwrap_or(0..0);
                p.write("[");
                p.list(&numbers, |p, n| {
                    match (n == DYNAMIC).then(|| values.next()).flatten() {
                        Some(k) => p.value(op.operand(ctx, k)),
                        None => p.fmt(format_args!("{n}")),
                    }
                });
                p.write("]");
            }
            Element::Attr(i) => {
                let d = &def.attrs[*i];
                let default = d.constraint.default.map(|f| f(ctx));
                if let Some(a) = op.attr(ctx, d.name).or(default) {
                    print_attr(p, &d.constraint.syntax, a);
                }
            }
            Element::Region(i) if *i < op.num_regions(ctx) => {
                print_region(p, def, op.region(ctx, *i));
            }
            Element::AllRegions => {
                let regions = op.regions(ctx);
                p.list(&regions, |p, r| print_region(p, def, r));
            }
            Element::Successor(_) | Element::AllSuccessors => {
                let all = op.successors(ctx);
                let list = match e {
                    Element::Successor(i) if !def.successors[*i].variadic => {
                        all.get(*i..*i + 1).unwrap_or(&[])
                    }
                    Element::Successor(i) => all.get(*i..).unwrap_or(&[]),
                    _ => &all,
                };
                p.list(list, |p, b| p.block_name(b));
            }
            Element::Type(t) => {
                let types = self.types(ctx, *t);
                p.types(&types);
            }
            Element::FunctionalType(a, b) => {
                let (a, b) = (self.types(ctx, *a), self.types(ctx, *b));
                p.signature(&a, &b);
            }
            _ => {}
        }
    }

    /// Attributes that have their default value, which is not written.
    fn default_valued(&self, ctx: &Context) -> Vec<&'static str> {
        let same = |d: &&crate::opdef::AttrDef| {
            d.constraint
                .default
                .is_some_and(|f| self.op.attr(ctx, d.name) == Some(f(ctx)))
        };
        self.def.attrs.iter().filter(same).map(|d| d.name).collect()
    }

    fn types(&self, ctx: &Context, of: TypeOf) -> Vec<Type> {
        match of {
            TypeOf::Operand(i) => {
                let r = self.def.operand_range(ctx, self.op, i).unwrap_or(0..0);
                r.map(|k| self.op.operand(ctx, k).ty(ctx)).collect()
            }
            TypeOf::Result(i) => {
                let r = self.def.result_range(ctx, self.op, i).unwrap_or(0..0);
                r.map(|k| self.op.result(ctx, k).ty(ctx)).collect()
            }
            TypeOf::AllOperands => self.op.operand_types(ctx),
            TypeOf::AllResults => self.op.result_types(ctx),
        }
    }
}

fn print_region(p: &mut Printer, def: &'static OpDef, r: crate::block::Region) {
    // An implicit terminator without operands may stay unwritten.
    let hide = def.implicit_terminator.is_some_and(|_| {
        r.blocks(p.ctx).iter().all(|b| {
            b.last_op(p.ctx)
                .is_some_and(|t| t.num_operands(p.ctx) == 0 && t.attrs(p.ctx).is_empty())
        })
    });
    p.region(r, true, !hide);
}

/// An attribute in the form its declaration gives it.
pub(crate) fn print_attr(p: &mut Printer, syntax: &AttrSyntax, a: Attr) {
    let ctx = p.ctx;
    match syntax {
        AttrSyntax::Full | AttrSyntax::Str | AttrSyntax::Unit => p.attr(a),
        AttrSyntax::Stripped { .. } => p.attr_params(a),
        AttrSyntax::Typed(_) => p.attr_without_type(a),
        AttrSyntax::Type => match a.as_type(ctx) {
            Some(t) => p.ty(t),
            None => p.attr(a),
        },
        AttrSyntax::SymbolName => match a.as_str_lossy(ctx) {
            Some(s) => p.symbol(&s),
            None => p.attr(a),
        },
        AttrSyntax::Enum(d) => match d.value(ctx, a).and_then(|v| d.keyword(v)) {
            Some(k) => p.write(&k),
            None => p.attr(a),
        },
        AttrSyntax::DenseArray(_) => {
            p.write("[");
            p.dense_array_elements(a);
            p.write("]");
        }
    }
}
