//! Types, and the affine expressions of layouts and subscripts.

use super::Printer;
use super::attrs::Elide;
use crate::affine::{AffineExpr, DimOrSym, print_expr_with};
use crate::attr::Attr;
use crate::types::{DYNAMIC, Signedness, Type, TypeData};
use crate::value::Value;
use std::fmt::Write as _;

impl Printer<'_> {
    /// An integer, or `?` for [`DYNAMIC`].
    pub fn dim(&mut self, d: i64) {
        if d == DYNAMIC {
            self.write("?");
        } else {
            let _ = write!(self.out, "{d}");
        }
    }

    // ---- affine ----

    /// An affine expression over SSA operands: dimensions first, then symbols.
    pub fn affine_expr(&mut self, e: &AffineExpr, num_dims: u32, operands: &[Value]) {
        self.with_out(|p, out| {
            let _ = print_expr_with(e, out, &|kind, i, w| match kind {
                DimOrSym::Dim => w.write_str(&p.value_text(operands[i as usize])),
                DimOrSym::Sym => {
                    let v = operands[(num_dims + i) as usize];
                    write!(w, "symbol({})", p.value_text(v))
                }
            });
        });
    }

    /// The results of a map over SSA operands, separated by commas.
    pub fn map_of_operands(&mut self, m: &crate::affine::AffineMap, operands: &[Value]) {
        let results: Vec<&AffineExpr> = m.results().iter().collect();
        self.list(&results, |p, e| p.affine_expr(e, m.num_dims(), operands));
    }

    /// The results of a map of numbered dimensions, `d0`, whose symbols are `operands`.
    pub fn map_of_numbered(&mut self, m: &crate::affine::AffineMap, operands: &[Value]) {
        let results: Vec<&AffineExpr> = m.results().iter().collect();
        self.list(&results, |p, e| {
            p.with_out(|p, out| {
                let _ = print_expr_with(e, out, &|kind, i, w| match kind {
                    DimOrSym::Dim => write!(w, "d{i}"),
                    DimOrSym::Sym => w.write_str(&p.value_text(operands[i as usize])),
                });
            });
        });
    }

    /// `(%a, %b)[%n]`: the operands of a map's dimensions and symbols.
    pub fn dims_and_symbols(&mut self, operands: &[Value], num_dims: usize) {
        let (dims, syms) = operands.split_at(num_dims.min(operands.len()));
        self.write("(");
        self.values(dims);
        self.write(")");
        if !syms.is_empty() {
            self.write("[");
            self.values(syms);
            self.write("]");
        }
    }

    /// Types with commas between them.
    pub fn types(&mut self, v: &[Type]) {
        self.list(v, |p, t| p.ty(t));
    }

    /// `(inputs) -> results`.
    pub fn signature(&mut self, inputs: &[Type], results: &[Type]) {
        self.write("(");
        self.types(inputs);
        self.write(") -> ");
        self.function_results(results);
    }

    /// The result types of a function, in parentheses unless there is exactly one
    /// that is no function.
    pub(crate) fn function_results(&mut self, results: &[Type]) {
        let bare = results.len() == 1 && results[0].function_parts(self.ctx).is_none();
        if bare {
            self.ty(results[0]);
            return;
        }
        self.write("(");
        self.types(results);
        self.write(")");
    }

    /// ` -> types`, or nothing.
    pub fn optional_arrow_types(&mut self, results: &[Type]) {
        if !results.is_empty() {
            self.write(" -> ");
            self.function_results(results);
        }
    }

    /// A type in full.
    pub fn ty(&mut self, t: Type) {
        match t.data(self.ctx) {
            TypeData::Integer { width, sign } => {
                let s = match sign {
                    Signedness::Signless => "i",
                    Signedness::Signed => "si",
                    Signedness::Unsigned => "ui",
                };
                let _ = write!(self.out, "{s}{width}");
            }
            TypeData::Index => self.write("index"),
            TypeData::Float(k) => self.write(k.name()),
            TypeData::None => self.write("none"),
            TypeData::Complex(t) => {
                self.write("complex<");
                self.ty(*t);
                self.write(">");
            }
            TypeData::Function { inputs, results } => self.signature(inputs, results),
            TypeData::Tuple(v) => {
                self.write("tuple<");
                self.types(v);
                self.write(">");
            }
            TypeData::Vector {
                shape,
                elem,
                scalable,
            } => {
                self.write("vector<");
                for (i, d) in shape.iter().enumerate() {
                    if scalable.get(i) == Some(&true) {
                        let _ = write!(self.out, "[{d}]x");
                    } else {
                        let _ = write!(self.out, "{d}x");
                    }
                }
                self.ty(*elem);
                self.write(">");
            }
            TypeData::Tensor {
                shape,
                elem,
                encoding,
            } => {
                self.write("tensor<");
                self.dims_x(shape);
                self.ty(*elem);
                if let Some(e) = encoding {
                    self.write(", ");
                    self.attr(*e);
                }
                self.write(">");
            }
            TypeData::UnrankedTensor(t) => {
                self.write("tensor<*x");
                self.ty(*t);
                self.write(">");
            }
            TypeData::MemRef {
                shape,
                elem,
                layout,
                space,
            } => {
                self.write("memref<");
                self.dims_x(shape);
                self.ty(*elem);
                if let Some(l) = layout {
                    self.write(", ");
                    self.attr(*l);
                }
                self.space(*space);
                self.write(">");
            }
            TypeData::UnrankedMemRef { elem, space } => {
                self.write("memref<*x");
                self.ty(*elem);
                self.space(*space);
                self.write(">");
            }
            TypeData::Dialect {
                dialect,
                mnemonic,
                params,
            } => {
                let _ = write!(self.out, "!{dialect}.{mnemonic}");
                let def = self
                    .ctx
                    .dialect(dialect)
                    .and_then(|d| d.types.iter().find(|x| x.mnemonic == *mnemonic));
                if let Some(d) = def {
                    (d.print)(self, params);
                }
            }
            TypeData::Opaque { dialect, body } => self.opaque('!', dialect, body),
        }
    }

    fn space(&mut self, space: Option<Attr>) {
        if let Some(s) = space {
            self.write(", ");
            self.attr_typed(s, Elide::Default);
        }
    }

    fn dims_x(&mut self, shape: &[i64]) {
        for d in shape {
            self.dim(*d);
            self.write("x");
        }
    }

    // ---- locations ----
}
