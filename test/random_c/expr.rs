//! Expressions with their types and, of integers, the range of their values: enough to
//! make expressions without undefined behaviour. What C leaves undefined is left out by
//! masks, casts and guards as a programmer would write them.

use super::types::Ty;

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: Kind,
    pub ty: Ty,
    /// Bounds of an integer's value; nothing for floats.
    pub lo: i128,
    pub hi: i128,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Literal(String),
    /// What has an address: text and subscripts.
    Place(Vec<Part>),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Condition(Box<[Expr; 3]>),
    Cast(Box<Expr>),
    Call(String, Vec<Expr>),
}

#[derive(Clone, Debug)]
pub enum Part {
    Text(String),
    Subscript(Expr),
}

impl Expr {
    pub fn new(kind: Kind, ty: Ty, lo: i128, hi: i128) -> Expr {
        Expr { kind, ty, lo, hi }
    }

    /// An integer literal of a type that C has literals of.
    pub fn int(v: i128, ty: Ty) -> Expr {
        let suffix = match ty {
            Ty::UInt => "u",
            Ty::Long => "L",
            Ty::ULong => "ul",
            _ => "",
        };
        let text = if v < 0 {
            format!("({v}{suffix})")
        } else {
            format!("{v}{suffix}")
        };
        Expr::new(Kind::Literal(text), ty, v, v)
    }

    pub fn number(v: i128) -> Expr {
        let ty = if Ty::Int.holds(v, v) {
            Ty::Int
        } else {
            Ty::Long
        };
        Expr::int(v, ty)
    }

    pub fn float(text: &str, ty: Ty) -> Expr {
        Expr::new(Kind::Literal(text.into()), ty, 0, 0)
    }

    /// A variable with any value of its type, or of these.
    pub fn variable(name: &str, ty: Ty, lo: i128, hi: i128) -> Expr {
        Expr::new(Kind::Place(vec![Part::Text(name.into())]), ty, lo, hi)
    }

    pub fn cast(self, ty: Ty) -> Expr {
        let (lo, hi) = if self.ty.is_float() && !ty.is_float() {
            ty.range()
        } else {
            ty.convert(self.lo, self.hi)
        };
        Expr::new(Kind::Cast(Box::new(self)), ty, lo, hi)
    }

    pub fn call(name: &str, args: Vec<Expr>, ty: Ty) -> Expr {
        let (lo, hi) = if ty.is_float() { (0, 0) } else { ty.range() };
        Expr::new(Kind::Call(name.into(), args), ty, lo, hi)
    }

    pub fn unary(op: &'static str, e: Expr) -> Expr {
        let ty = if op == "!" { Ty::Int } else { e.ty.promoted() };
        let (lo, hi) = match op {
            "!" => (0, 1),
            _ if ty.is_float() => (0, 0),
            "-" => ty.convert(-e.hi, -e.lo),
            _ => ty.convert(-1 - e.hi, -1 - e.lo),
        };
        Expr::new(Kind::Unary(op, Box::new(e)), ty, lo, hi)
    }

    /// Whether `-` of it is defined.
    pub fn may_negate(&self) -> bool {
        let t = self.ty.promoted();
        t.is_float() || !t.signed() || t.holds(-self.hi, -self.lo)
    }

    pub fn condition(c: Expr, a: Expr, b: Expr) -> Expr {
        let ty = a.ty.common(b.ty);
        let (lo, hi) = if ty.is_float() {
            (0, 0)
        } else {
            let (al, ah) = ty.convert(a.lo, a.hi);
            let (bl, bh) = ty.convert(b.lo, b.hi);
            (al.min(bl), ah.max(bh))
        };
        Expr::new(Kind::Condition(Box::new([c, a, b])), ty, lo, hi)
    }

    /// `a op b`, or nothing where a value of its operands makes that undefined.
    ///
    /// Nothing stands for a difference of floats from nought: compilers make it the negative of
    /// the other, which is -0 and not 0 where that is an integer's 0.
    pub fn binary(op: &'static str, a: Expr, b: Expr) -> Option<Expr> {
        let nought = |e: &Expr| match &e.kind {
            Kind::Literal(t) => t.trim_end_matches(['f', 'u', 'l', 'L']).parse() == Ok(0.0),
            _ => false,
        };
        if op == "-" && nought(&a) && (a.ty.is_float() || b.ty.is_float()) {
            return None;
        }
        let (ty, lo, hi) = result(op, &a, &b)?;
        Some(Expr::new(
            Kind::Binary(op, Box::new(a), Box::new(b)),
            ty,
            lo,
            hi,
        ))
    }

    pub fn children(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            Kind::Literal(_) => vec![],
            Kind::Place(parts) => parts
                .iter_mut()
                .filter_map(|p| match p {
                    Part::Text(_) => None,
                    Part::Subscript(e) => Some(e),
                })
                .collect(),
            Kind::Unary(_, e) | Kind::Cast(e) => vec![e],
            Kind::Binary(_, a, b) => vec![a, b],
            Kind::Condition(c) => c.iter_mut().collect(),
            Kind::Call(_, args) => args.iter_mut().collect(),
        }
    }

    pub fn text(&self) -> String {
        match &self.kind {
            Kind::Literal(t) => t.clone(),
            Kind::Place(parts) => parts
                .iter()
                .map(|p| match p {
                    Part::Text(t) => t.clone(),
                    Part::Subscript(e) => format!("[{}]", e.bare()),
                })
                .collect(),
            Kind::Unary(op, e) => format!("{op}{}", e.atom()),
            Kind::Cast(e) => format!("({}){}", self.ty.name(), e.atom()),
            Kind::Binary(..) | Kind::Condition(_) => format!("({})", self.bare()),
            Kind::Call(name, args) => {
                let args: Vec<String> = args.iter().map(Expr::bare).collect();
                format!("{name}({})", args.join(", "))
            }
        }
    }

    /// Without parentheses around it.
    pub fn bare(&self) -> String {
        match &self.kind {
            Kind::Binary(op, a, b) => format!("{} {op} {}", a.text(), b.text()),
            Kind::Condition(c) => {
                format!("{} ? {} : {}", c[0].text(), c[1].text(), c[2].text())
            }
            _ => self.text(),
        }
    }

    /// As the operand of a prefix operator.
    fn atom(&self) -> String {
        let t = self.text();
        if t.starts_with('-') {
            format!("({t})")
        } else {
            t
        }
    }
}

/// The type and range of `a op b`; nothing where it may be undefined.
pub fn result(op: &str, a: &Expr, b: &Expr) -> Option<(Ty, i128, i128)> {
    if matches!(op, "<" | "<=" | ">" | ">=" | "==" | "!=" | "&&" | "||") {
        return Some((Ty::Int, 0, 1));
    }
    if matches!(op, "<<" | ">>") {
        return shifted(op, a, b);
    }
    let ty = a.ty.common(b.ty);
    if ty.is_float() {
        return matches!(op, "+" | "-" | "*" | "/").then_some((ty, 0, 0));
    }
    let (al, ah) = ty.convert(a.lo, a.hi);
    let (bl, bh) = ty.convert(b.lo, b.hi);
    let corners = |f: &dyn Fn(i128, i128) -> i128| {
        let c = [f(al, bl), f(al, bh), f(ah, bl), f(ah, bh)];
        (
            c.into_iter().min().expect("four"),
            c.into_iter().max().expect("four"),
        )
    };
    let bits_up_to = |v: i128| (1i128 << (128 - v.leading_zeros())) - 1;
    let (lo, hi) = match op {
        "+" => (al + bl, ah + bh),
        "-" => (al - bh, ah - bl),
        "*" => {
            // Two numbers of 64 bits have a product of 128, which may just not fit.
            let c = |x: i128, y: i128| x.saturating_mul(y);
            corners(&c)
        }
        "/" | "%" => {
            if bl <= 0 && bh >= 0 {
                return None;
            }
            let (least, _) = ty.range();
            if ty.signed() && al == least && bl <= -1 && bh >= -1 {
                return None;
            }
            if op == "/" {
                // A quotient is at most the dividend through the divisor that is nearest to zero.
                let nearest = if bl > 0 { bl } else { -bh };
                let far = al.abs().max(ah.abs()) / nearest;
                if bl > 0 {
                    let lo = if al < 0 { al / bl } else { al / bh };
                    let hi = if ah > 0 { ah / bl } else { ah / bh };
                    (lo, hi)
                } else {
                    (-far, far)
                }
            } else {
                let most = bl.abs().max(bh.abs()) - 1;
                let lo = if al < 0 { (-most).max(al) } else { 0 };
                (lo, most.min(ah.max(0)))
            }
        }
        "&" => match (al >= 0, bl >= 0) {
            (true, true) => (0, ah.min(bh)),
            (true, false) => (0, ah),
            (false, true) => (0, bh),
            _ => ty.range(),
        },
        _ if al >= 0 && bl >= 0 => (0, bits_up_to(ah.max(bh))),
        _ => ty.range(),
    };
    if ty.holds(lo, hi) {
        Some((ty, lo, hi))
    } else if ty.signed() {
        None
    } else {
        let (l, h) = ty.range();
        Some((ty, l, h))
    }
}

fn shifted(op: &str, a: &Expr, b: &Expr) -> Option<(Ty, i128, i128)> {
    let ty = a.ty.promoted();
    if ty.is_float() || b.ty.is_float() || b.lo < 0 || b.hi >= ty.bits().into() {
        return None;
    }
    let (near, far) = (b.lo as u32, b.hi as u32);
    if op == ">>" {
        let lo = if a.lo < 0 { a.lo >> near } else { a.lo >> far };
        let hi = if a.hi < 0 { a.hi >> far } else { a.hi >> near };
        return Some((ty, lo, hi));
    }
    let (_, most) = ty.range();
    let fits = a.lo >= 0 && a.hi <= most >> far;
    if fits {
        Some((ty, a.lo << near, a.hi << far))
    } else if ty.signed() {
        None
    } else {
        Some((ty, 0, most))
    }
}
