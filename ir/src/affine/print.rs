//! Printing in MLIR's syntax, without recursion.

use std::fmt::{self, Display, Write};

use super::expr::{AffineExpr, AffineOp};
use super::map::AffineMap;
use super::set::IntegerSet;

/// Which kind of leaf a name is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DimOrSym {
    Dim,
    Sym,
}

/// What is left to print.
enum Item<'a> {
    /// An expression; `true` if it binds tightly, so that an operator in it
    /// needs parentheses.
    Expr(&'a AffineExpr, bool),
    Text(&'static str),
    /// The magnitude of a constant whose sign is printed already.
    Magnitude(u64),
}

/// Prints `expr` with `name` printing each dimension and symbol, as in
/// `%i + symbol(%n) * 2`. `name` gets the kind, the position and the writer.
///
/// # Errors
///
/// Those of the writer and of `name`.
pub(crate) fn print_expr_with(
    expr: &AffineExpr,
    out: &mut dyn Write,
    name: &dyn Fn(DimOrSym, u32, &mut dyn Write) -> fmt::Result,
) -> fmt::Result {
    let mut stack = vec![Item::Expr(expr, false)];
    while let Some(item) = stack.pop() {
        match item {
            Item::Text(text) => out.write_str(text)?,
            Item::Magnitude(value) => write!(out, "{value}")?,
            Item::Expr(AffineExpr::Dim(position), _) => name(DimOrSym::Dim, *position, out)?,
            Item::Expr(AffineExpr::Symbol(position), _) => name(DimOrSym::Sym, *position, out)?,
            Item::Expr(AffineExpr::Constant(value), _) => write!(out, "{value}")?,
            Item::Expr(AffineExpr::Binary(node), tight) => {
                if tight {
                    out.write_str("(")?;
                    stack.push(Item::Text(")"));
                }
                expand(node.op(), node.lhs(), node.rhs(), &mut stack);
            }
        }
    }
    Ok(())
}

/// Pushes the parts of `lhs op rhs`, the last first.
fn expand<'a>(op: AffineOp, lhs: &'a AffineExpr, rhs: &'a AffineExpr, stack: &mut Vec<Item<'a>>) {
    let spelling = match op {
        AffineOp::Add => return expand_sum(lhs, rhs, stack),
        AffineOp::Mul if rhs.as_constant() == Some(-1) => {
            stack.push(Item::Expr(lhs, true));
            stack.push(Item::Text("-"));
            return;
        }
        AffineOp::Mul => " * ",
        AffineOp::Mod => " mod ",
        AffineOp::FloorDiv => " floordiv ",
        AffineOp::CeilDiv => " ceildiv ",
    };
    stack.push(Item::Expr(rhs, true));
    stack.push(Item::Text(spelling));
    stack.push(Item::Expr(lhs, true));
}

/// A sum, with a negative second term printed as a subtraction; but where its magnitude is
/// no number of 64 bits, which could not be read.
fn expand_sum<'a>(lhs: &'a AffineExpr, rhs: &'a AffineExpr, stack: &mut Vec<Item<'a>>) {
    match (rhs, rhs.as_op(AffineOp::Mul)) {
        (_, Some((base, AffineExpr::Constant(-1)))) => {
            let tight = base.as_op(AffineOp::Add).is_some();
            stack.push(Item::Expr(base, tight));
            stack.push(Item::Text(" - "));
        }
        (_, Some((base, AffineExpr::Constant(factor)))) if (-i64::MAX..-1).contains(factor) => {
            stack.push(Item::Magnitude(factor.unsigned_abs()));
            stack.push(Item::Text(" * "));
            stack.push(Item::Expr(base, true));
            stack.push(Item::Text(" - "));
        }
        (AffineExpr::Constant(value), _) if (-i64::MAX..0).contains(value) => {
            stack.push(Item::Magnitude(value.unsigned_abs()));
            stack.push(Item::Text(" - "));
        }
        _ => {
            stack.push(Item::Expr(rhs, false));
            stack.push(Item::Text(" + "));
        }
    }
    stack.push(Item::Expr(lhs, false));
}

fn plain_name(kind: DimOrSym, position: u32, out: &mut dyn Write) -> fmt::Result {
    match kind {
        DimOrSym::Dim => write!(out, "d{position}"),
        DimOrSym::Sym => write!(out, "s{position}"),
    }
}

fn list<T>(
    out: &mut fmt::Formatter<'_>,
    items: impl IntoIterator<Item = T>,
    mut print: impl FnMut(&mut fmt::Formatter<'_>, T) -> fmt::Result,
) -> fmt::Result {
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.write_str(", ")?;
        }
        print(out, item)?;
    }
    Ok(())
}

/// `(d0, d1)[s0]`
fn print_space(out: &mut fmt::Formatter<'_>, dims: u32, symbols: u32) -> fmt::Result {
    out.write_str("(")?;
    list(out, 0..dims, |out, position| write!(out, "d{position}"))?;
    out.write_str(")")?;
    if symbols > 0 {
        out.write_str("[")?;
        list(out, 0..symbols, |out, position| write!(out, "s{position}"))?;
        out.write_str("]")?;
    }
    Ok(())
}

impl Display for AffineExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_expr_with(self, f, &plain_name)
    }
}

impl fmt::Debug for AffineExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

/// As between the angle brackets of `affine_map<...>`.
impl Display for AffineMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_space(f, self.num_dims(), self.num_symbols())?;
        f.write_str(" -> (")?;
        list(f, self.results(), |f, expr| Display::fmt(expr, f))?;
        f.write_str(")")
    }
}

impl fmt::Debug for AffineMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

/// As between the angle brackets of `affine_set<...>`.
impl Display for IntegerSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_space(f, self.num_dims(), self.num_symbols())?;
        f.write_str(" : (")?;
        list(f, self.constraints(), |f, constraint| {
            Display::fmt(&constraint.expr, f)?;
            f.write_str(if constraint.is_eq { " == 0" } else { " >= 0" })
        })?;
        f.write_str(")")
    }
}

impl fmt::Debug for IntegerSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}
