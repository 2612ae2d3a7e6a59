//! `__builtin_...`: what gcc's headers make of macros.

use lang_c::ast::Expression;
use lang_c::span::Node;

use super::{library, make};
use crate::hir::{BinaryOp, Expr, ExprKind, Span};
use crate::sema::Sema;
use crate::sema::constant::{fold, has_unsupported};
use crate::sema::report::{is_error, unsupported};
use crate::types::{Float, Type};

impl Sema<'_> {
    /// A call of `__builtin_NAME`.
    pub(super) fn builtin(&mut self, name: &str, args: &[Node<Expression>], at: Span) -> Expr {
        match name {
            "expect" | "expect_with_probability" => self.expect(args, at),
            "constant_p" => {
                let constant = args.first().is_some_and(|a| {
                    let value = self.unevaluated(|s| s.value(a));
                    fold(&value).is_some()
                });
                make(ExprKind::Int(constant.into()), Type::INT, at)
            }
            "object_size" | "dynamic_object_size" => {
                for a in args {
                    self.unevaluated(|s| s.value(a));
                }
                make(ExprKind::Int(i128::from(u64::MAX)), Type::ULONG, at)
            }
            "inf" | "huge_val" => make(ExprKind::Float(f64::INFINITY), Type::DOUBLE, at),
            "inff" | "huge_valf" => make(ExprKind::Float(f64::INFINITY), Type::FLOAT, at),
            "nan" | "nanf" => self.nan(name == "nanf", args, at),
            "infl" | "huge_vall" | "nanl" => unsupported(
                "long double arithmetic",
                Type::Other("long double".into()),
                at,
            ),
            "choose_expr" => self.choose(args, at),
            "isgreater" | "isless" | "isgreaterequal" | "islessequal" => {
                self.quiet_comparison(name, args, at)
            }
            "isnan" | "isinf" | "isinf_sign" | "isfinite" | "isnormal" | "signbit"
            | "isunordered" | "islessgreater" | "fpclassify" => self.classified(name, args, at),
            "va_start" | "va_end" | "va_copy" => {
                for a in args {
                    self.value(a);
                }
                unsupported("a variable argument list", Type::Void, at)
            }
            "assume_aligned" => self.assume_aligned(args, at),
            _ => match library::function(name, &self.source.dialect().char()) {
                // The compiler's name of a function of the library.
                Some(ty) => {
                    let named = match name {
                        "trap" | "unreachable" | "prefetch" | "alloca" => {
                            format!("__builtin_{name}")
                        }
                        _ if is_bit_builtin(name) => format!("__builtin_{name}"),
                        _ => name.to_owned(),
                    };
                    self.call_named(&named, &ty, args, at)
                }
                None => self.unknown_call(args, &format!("`__builtin_{name}`"), at),
            },
        }
    }

    /// `__builtin_expect(x, c)` is x, as a long.
    fn expect(&mut self, args: &[Node<Expression>], at: Span) -> Expr {
        let Some((first, rest)) = args.split_first() else {
            return Self::poison(at);
        };
        let value = self.value(first);
        let value = self.assigned(value, &Type::LONG, "argument 1 of `__builtin_expect`");
        for a in rest {
            self.value(a);
        }
        Expr { span: at, ..value }
    }

    fn nan(&mut self, single: bool, args: &[Node<Expression>], at: Span) -> Expr {
        let plain = match args.first().map(|a| self.value(a)) {
            Some(Expr {
                kind: ExprKind::Decay(s),
                ..
            }) => matches!(&s.kind, ExprKind::Str(b) if b.is_empty()),
            _ => false,
        };
        let ty = if single { Type::FLOAT } else { Type::DOUBLE };
        if plain {
            make(ExprKind::Float(f64::NAN), ty, at)
        } else {
            unsupported("a NaN with a payload", ty, at)
        }
    }

    fn choose(&mut self, args: &[Node<Expression>], at: Span) -> Expr {
        let [cond, then, otherwise] = args else {
            return Self::poison(at);
        };
        let cond = self.value(cond);
        match self.fold_integer(&cond) {
            Some(v) => self.value(if v != 0 { then } else { otherwise }),
            None => unsupported("`__builtin_choose_expr`", Type::INT, at),
        }
    }

    /// Comparisons that raise no exception for a NaN are the operators otherwise.
    fn quiet_comparison(&mut self, name: &str, args: &[Node<Expression>], at: Span) -> Expr {
        let [lhs, rhs] = args else {
            return Self::poison(at);
        };
        let lhs = self.value(lhs);
        let rhs = self.value(rhs);
        let op = match name {
            "isgreater" => BinaryOp::Gt,
            "isless" => BinaryOp::Lt,
            "isgreaterequal" => BinaryOp::Ge,
            "islessequal" => BinaryOp::Le,
            _ => return unsupported(format!("`__builtin_{name}`"), Type::INT, at),
        };
        self.binary(op, lhs, rhs, at)
    }

    /// `isnan` and its like, of any floating type.
    fn classified(&mut self, name: &str, args: &[Node<Expression>], at: Span) -> Expr {
        let mut values = Vec::new();
        for a in args {
            let value = self.value(a);
            if is_error(&value.ty) {
                return Self::poison(at);
            }
            if !matches!(value.ty, Type::Float(_)) && name != "fpclassify" {
                return unsupported(format!("`__builtin_{name}` of this type"), Type::INT, at);
            }
            values.push(value);
        }
        if values.is_empty() || values.iter().any(has_unsupported) {
            return unsupported(format!("`__builtin_{name}`"), Type::INT, at);
        }
        // The name says which type the operand has, as in the library.
        let single = values.iter().all(|v| v.ty == Type::Float(Float::F32));
        let function = match (name, single) {
            ("fpclassify", _) => {
                return unsupported("`__builtin_fpclassify`", Type::INT, at);
            }
            (name, true) => format!("__builtin_{name}f"),
            (name, false) => format!("__builtin_{name}"),
        };
        let args = values
            .into_iter()
            .map(|v| {
                if single {
                    v
                } else {
                    self.cast(v, &Type::DOUBLE)
                }
            })
            .collect();
        make(ExprKind::Call { function, args }, Type::INT, at)
    }

    fn assume_aligned(&mut self, args: &[Node<Expression>], at: Span) -> Expr {
        let Some((first, rest)) = args.split_first() else {
            return Self::poison(at);
        };
        let value = self.value(first);
        for a in rest {
            self.value(a);
        }
        let value = self.cast(value, &Type::pointer_to(Type::Void));
        Expr { span: at, ..value }
    }
}

/// Builtins that are not functions of the library.
fn is_bit_builtin(name: &str) -> bool {
    [
        "clz", "ctz", "popcount", "parity", "clrsb", "bswap", "powi", "__clear",
    ]
    .iter()
    .any(|p| name.starts_with(p))
}
