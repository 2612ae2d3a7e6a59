//! Types, values and operators of C as far as it takes to know what is undefined.

/// An arithmetic type.
pub struct Type {
    pub name: &'static str,
    pub kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Bool,
    Int { bits: u32, signed: bool },
    Float { bits: u32 },
}

const fn int(name: &'static str, bits: u32, signed: bool) -> Type {
    let kind = Kind::Int { bits, signed };
    Type { name, kind }
}

const fn float(name: &'static str, bits: u32) -> Type {
    let kind = Kind::Float { bits };
    Type { name, kind }
}

/// `char` is signed here, and an enumeration without negative enumerators is unsigned.
pub const TYPES: &[Type] = &[
    Type {
        name: "_Bool",
        kind: Kind::Bool,
    },
    int("signed char", 8, true),
    int("unsigned char", 8, false),
    int("char", 8, true),
    int("short", 16, true),
    int("unsigned short", 16, false),
    int("int", 32, true),
    int("unsigned", 32, false),
    int("enum positive", 32, false),
    int("long", 64, true),
    int("unsigned long", 64, false),
    float("float", 32),
    float("double", 64),
];

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Int(i128),
    Float(f64),
}

impl Type {
    pub fn is_float(&self) -> bool {
        matches!(self.kind, Kind::Float { .. })
    }

    pub fn is_bool(&self) -> bool {
        self.kind == Kind::Bool
    }

    /// Its place among the types.
    pub fn number(&self) -> usize {
        TYPES.iter().take_while(|t| t.name != self.name).count()
    }

    /// Values at which something changes: limits, signs, fractions.
    pub fn values(&self) -> Vec<Value> {
        let (bits, signed) = match self.kind {
            Kind::Bool => return vec![Value::Int(0), Value::Int(1)],
            Kind::Int { bits, signed } => (bits, signed),
            Kind::Float { bits } => {
                let mut v = vec![
                    0.0, -0.0, 0.5, -0.75, 1.0, -1.0, 3.0, -5.25, 127.0, 200.5, -128.0, 255.75,
                    65535.0,
                ];
                v.extend([-32768.0, 2147483520.0, 4294967040.0, -2147483648.0, 1e18]);
                v.extend([1.8e19, f64::INFINITY, f64::NAN]);
                if bits == 64 {
                    v.extend([2147483647.0, 4294967295.0, 1e300, -2147483648.5]);
                }
                return v.into_iter().map(Value::Float).collect();
            }
        };
        let mut v: Vec<i128> = vec![0, 1, 2, 3, 7, 31];
        let limits = [8, 16, 32, 64].into_iter().filter(|b| *b <= bits);
        for b in limits {
            v.extend([(1 << (b - 1)) - 1, 1 << (b - 1), (1 << b) - 1, (1 << b) - 5]);
            v.extend([-1, -2, -5, -(1 << (b - 1)), 1 - (1 << (b - 1))]);
        }
        if bits < 64 {
            v.push(100);
        } else {
            v.extend([1 << 32, (1 << 32) + 3, -(1 << 40)]);
        }
        v.retain(|x| wrap(*x, bits, signed) == *x);
        v.sort_unstable();
        v.dedup();
        v.into_iter().map(Value::Int).collect()
    }

    /// The value as a constant of this type.
    pub fn literal(&self, v: Value) -> String {
        match v {
            Value::Float(x) if x.is_nan() => format!("({})__builtin_nan(\"\")", self.name),
            Value::Float(x) if x.is_infinite() => format!("({})__builtin_inf()", self.name),
            Value::Float(x) => format!("({}){x:?}", self.name),
            Value::Int(n) if n == i128::from(i64::MIN) => {
                format!("({})(-9223372036854775807L - 1)", self.name)
            }
            Value::Int(n) if n > i128::from(i64::MAX) => format!("({}){n}UL", self.name),
            Value::Int(n) => format!("({}){n}L", self.name),
        }
    }
}

fn wrap(x: i128, bits: u32, signed: bool) -> i128 {
    let low = x & ((1 << bits) - 1);
    if signed && low >> (bits - 1) != 0 {
        low - (1 << bits)
    } else {
        low
    }
}

/// The value converted to a type; `None` where that is undefined.
pub fn convert(v: Value, to: Kind) -> Option<Value> {
    Some(match (v, to) {
        (Value::Int(n), Kind::Bool) => Value::Int(i128::from(n != 0)),
        (Value::Float(x), Kind::Bool) => Value::Int(i128::from(x != 0.0)),
        (Value::Int(n), Kind::Int { bits, signed }) => Value::Int(wrap(n, bits, signed)),
        (Value::Float(x), Kind::Int { bits, signed }) => {
            let n = x.trunc();
            if !n.is_finite() || n.abs() > 1e30 {
                return None;
            }
            let n = n as i128;
            (wrap(n, bits, signed) == n).then_some(Value::Int(n))?
        }
        (Value::Int(n), Kind::Float { bits: 32 }) => Value::Float(f64::from(n as f32)),
        (Value::Int(n), Kind::Float { .. }) => Value::Float(n as f64),
        (Value::Float(x), Kind::Float { bits: 32 }) => Value::Float(f64::from(x as f32)),
        (Value::Float(x), Kind::Float { .. }) => Value::Float(x),
    })
}

/// The integer promotions.
pub fn promoted(k: Kind) -> Kind {
    match k {
        Kind::Bool | Kind::Int { bits: ..32, .. } => Kind::Int {
            bits: 32,
            signed: true,
        },
        k => k,
    }
}

/// The usual arithmetic conversions.
pub fn common(a: Kind, b: Kind) -> Kind {
    match (promoted(a), promoted(b)) {
        (Kind::Float { bits: x }, Kind::Float { bits: y }) => Kind::Float { bits: x.max(y) },
        (f @ Kind::Float { .. }, _) | (_, f @ Kind::Float { .. }) => f,
        (Kind::Int { bits, signed }, Kind::Int { bits: w, signed: s }) => match bits.cmp(&w) {
            std::cmp::Ordering::Less => Kind::Int { bits: w, signed: s },
            std::cmp::Ordering::Greater => Kind::Int { bits, signed },
            std::cmp::Ordering::Equal => Kind::Int {
                bits,
                signed: signed && s,
            },
        },
        (k, _) => k,
    }
}

/// Binary operators that are undefined for the same values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operator {
    /// Comparisons, logic, choices and operations on bits: never.
    Total,
    /// Sums and products: where they overflow.
    Sum,
    /// Quotients and remainders.
    Quotient,
    /// Shifts, by numbers outside the width.
    Shift,
}

impl Operator {
    pub const CLASSES: [Operator; 4] = [
        Operator::Total,
        Operator::Sum,
        Operator::Quotient,
        Operator::Shift,
    ];

    /// The operators, as far as they are for floating-point numbers, and whether there is a
    /// compound assignment.
    pub fn names(self, floats: bool) -> &'static [(&'static str, bool)] {
        match (self, floats) {
            (Operator::Total, true) => &TOTAL[..8],
            (Operator::Total, false) => TOTAL,
            (Operator::Sum, _) => &[("+", true), ("-", true), ("*", true)],
            (Operator::Quotient, true) => &[("/", true)],
            (Operator::Quotient, false) => &[("/", true), ("%", true)],
            (Operator::Shift, true) => &[],
            (Operator::Shift, false) => &[("<<", true), (">>", true)],
        }
    }

    /// Whether all operators of the class are defined for these operands, and their
    /// results can be assigned to the type of the first.
    pub fn is_defined(self, (a, x): (Kind, Value), (b, y): (Kind, Value)) -> bool {
        let fits = |exact: i128, k: Kind| match k {
            Kind::Int { bits, signed: true } => wrap(exact, bits, true) == exact,
            _ => true,
        };
        let back = |v: Value, k: Kind| convert(v, k).is_some_and(|v| convert(v, a).is_some());
        let c = common(a, b);
        let (Some(p), Some(q)) = (convert(x, c), convert(y, c)) else {
            return false;
        };
        match (self, p, q) {
            (Operator::Total, ..) => true,
            (Operator::Shift, ..) => {
                let (Value::Int(_), Value::Int(n), Kind::Int { bits, .. }) = (x, y, promoted(a))
                else {
                    return false;
                };
                (0..i128::from(bits)).contains(&n)
            }
            (Operator::Sum, Value::Int(p), Value::Int(q)) => {
                let all = [Some(p + q), Some(p - q), p.checked_mul(q)];
                all.into_iter().all(|r| r.is_none_or(|r| fits(r, c)))
                    && (p.checked_mul(q).is_some() || !matches!(c, Kind::Int { signed: true, .. }))
            }
            (Operator::Sum, Value::Float(p), Value::Float(q)) => {
                let all = [p + q, p - q, p * q, q];
                all.into_iter().all(|r| back(Value::Float(r), c))
            }
            (Operator::Quotient, Value::Int(p), Value::Int(q)) => q != 0 && fits(p / q, c),
            (Operator::Quotient, Value::Float(p), Value::Float(q)) => back(Value::Float(p / q), c),
            _ => false,
        }
    }
}

const TOTAL: &[(&str, bool)] = &[
    ("<", false),
    ("<=", false),
    (">", false),
    (">=", false),
    ("==", false),
    ("!=", false),
    ("&&", false),
    ("||", false),
    ("&", true),
    ("|", true),
    ("^", true),
];
