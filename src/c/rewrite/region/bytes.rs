//! How many bytes an array has, for the reader: a number, or a product in the names of
//! the source.

use terrace_c::directive::Section;
use terrace_c::hir::{ExprKind, Unit};
use terrace_c::types::{Extent, Type};

use super::super::section::{object, size_of};

/// A product: what is constant, and the texts of the rest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Product {
    constant: u64,
    factors: Vec<String>,
}

impl Product {
    fn text(&self) -> String {
        let mut all = Vec::new();
        if self.constant != 1 || self.factors.is_empty() {
            all.push(self.constant.to_string());
        }
        all.extend(self.factors.iter().cloned());
        all.join("*")
    }

    fn times(mut self, n: u64) -> Option<Product> {
        self.constant = self.constant.checked_mul(n)?;
        Some(self)
    }

    /// Times a text of C, which is outside the constant.
    fn by(self, text: &str) -> Option<Product> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ").replace(" * ", "*");
        if let Ok(n) = text.parse() {
            return self.times(n);
        }
        let simple = text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '>' | '-' | '*'));
        let simple = simple && (!text.contains('-') || text.contains("->"));
        let mut all = self;
        all.factors.insert(
            0,
            match simple {
                true => text,
                false => format!("({text})"),
            },
        );
        Some(all)
    }
}

fn of(unit: &Unit, ty: &Type) -> Option<Product> {
    if let Some(n) = size_of(unit, ty) {
        let factors = Vec::new();
        return Some(Product {
            constant: n,
            factors,
        });
    }
    let Type::Array(a) = ty else { return None };
    by_extent(unit, of(unit, &a.of)?, &a.len)
}

fn by_extent(unit: &Unit, p: Product, extent: &Extent) -> Option<Product> {
    match extent {
        Extent::Const(n) => p.times(*n),
        Extent::Expr(e) => p.by(unit.text(e.span)),
        Extent::Unknown => None,
    }
}

/// Of all of an object.
pub fn of_type(unit: &Unit, ty: &Type) -> Option<String> {
    of(unit, ty).map(|p| p.text())
}

/// Of so many elements behind a pointer, given as C.
pub fn of_elements(unit: &Unit, pointer: &Type, count: &str) -> Option<String> {
    let element = match pointer {
        Type::Pointer(p) => &p.to,
        Type::Array(a) => &a.of,
        _ => return None,
    };
    of(unit, element)?.by(count).map(|p| p.text())
}

/// Of the elements of a section.
pub fn of_section(unit: &Unit, s: &Section) -> Option<String> {
    let mut ty = &object(s)?.ty;
    if s.dims.is_empty() {
        return match ty {
            Type::Pointer(p) => {
                by_extent(unit, of(unit, &p.to)?, p.declared.as_ref()?).map(|p| p.text())
            }
            ty => of_type(unit, ty),
        };
    }
    let mut counts: Vec<Count> = Vec::new();
    for d in &s.dims {
        let (inner, extent) = match ty {
            Type::Array(a) => (&a.of, Some(&a.len)),
            Type::Pointer(p) => (&p.to, p.declared.as_ref()),
            _ => return None,
        };
        let from_zero = d.start.as_ref().is_none_or(|a| a.text.trim() == "0");
        counts.push(match (&d.length, d.single) {
            (_, true) => Count::Known(1),
            (Some(n), _) => match n.expr.as_ref().map(|e| &e.kind) {
                Some(ExprKind::Int(n)) => Count::Known(u64::try_from(*n).ok()?),
                _ => Count::Text(n.text.trim().to_string()),
            },
            (None, _) if from_zero => Count::Extent(extent?),
            (None, _) => return None,
        });
        ty = inner;
    }
    let mut p = of(unit, ty)?;
    for c in counts.iter().rev() {
        p = match c {
            Count::Known(n) => p.times(*n)?,
            Count::Text(t) => p.by(t)?,
            Count::Extent(e) => by_extent(unit, p, e)?,
        };
    }
    Some(p.text())
}

enum Count<'a> {
    Known(u64),
    Text(String),
    Extent(&'a Extent),
}

#[cfg(test)]
mod tests {
    use super::Product;

    #[test]
    fn products() {
        let eight = Product {
            constant: 8,
            ..Product::default()
        };
        let text = |p: Option<Product>| p.unwrap().text();
        assert_eq!(text(eight.clone().times(100)), "800");
        assert_eq!(text(eight.clone().by("n")), "8*n");
        assert_eq!(text(eight.clone().by("m").unwrap().by(" n ")), "8*n*m");
        assert_eq!(text(eight.clone().by("n - 1")), "8*(n - 1)");
        assert_eq!(text(eight.clone().by("s->n")), "8*s->n");
        assert_eq!(text(eight.clone().by("n * m")), "8*n*m");
        assert_eq!(text(eight.clone().by("n * m + 1")), "8*(n*m + 1)");
        assert_eq!(text(eight.clone().by("12")), "96");
        assert_eq!(eight.times(u64::MAX), None);
    }
}
