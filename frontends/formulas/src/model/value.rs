//! Formulas whose names are found, and subscripts as affine forms.

use super::{Checker, Condition, Element, Function, Value, nearest};
use crate::affine::{Form, Var};
use crate::ast::{Binary, Expr, ExprKind, Name};

/// Names that only a part of the text knows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope {
    /// Indices of the statement, and arguments of macros.
    pub indices: Vec<(String, Form)>,
    /// Temporaries, in order.
    pub temporaries: Vec<String>,
    /// Macros around.
    pub depth: usize,
}

/// Functions that give -1, 0 or 1.
const SIGNS: [&str; 2] = ["sign", "signum"];

/// Functions that there are, for messages.
const FUNCTIONS: [&str; 22] = [
    "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
    "abs", "min", "max", "atan2", "floor", "ceil", "sign", "ifsign", "if", "_grp",
];

/// Macros inside of each other, at most.
const DEEPEST: usize = 32;

impl Checker<'_> {
    /// A subscript or bound.
    pub(super) fn form(&mut self, e: &Expr, scope: &Scope) -> Option<Form> {
        let large = "a number of this subscript is too large";
        match &e.kind {
            ExprKind::Number(n, true) if *n < 1e15 => Some(Form::number(*n as i64)),
            ExprKind::Name(name) => {
                if let Some((_, f)) = scope.indices.iter().rev().find(|(n, _)| n == name) {
                    return Some(f.clone());
                }
                if let Some(p) = self.model.indices.iter().position(|n| n == name) {
                    return Some(Form::var(Var::Param(p)));
                }
                let all: Vec<String> = (scope.indices.iter().map(|i| i.0.clone()))
                    .chain(self.model.indices.iter().cloned())
                    .collect();
                let meant = nearest(name, all.iter().map(String::as_str));
                let mut m = format!("`{name}` is no index");
                if let Some(meant) = meant {
                    m += &format!("; `{meant}` is one");
                } else if !all.is_empty() {
                    let all: Vec<String> = all.iter().map(|n| format!("`{n}`")).collect();
                    m += &format!("; there is {}", all.join(", "));
                }
                self.fail(e.span, m)
            }
            ExprKind::Negative(x) => {
                let x = self.form(x, scope)?;
                x.times(-1).or_else(|| self.fail(e.span, large))
            }
            ExprKind::Binary(op @ (Binary::Add | Binary::Sub), a, b) => {
                let (a, b) = (self.form(a, scope)?, self.form(b, scope)?);
                let by = if *op == Binary::Add { 1 } else { -1 };
                a.plus(&b, by).or_else(|| self.fail(e.span, large))
            }
            ExprKind::Binary(Binary::Mul, a, b) => {
                let (a, b) = (self.form(a, scope)?, self.form(b, scope)?);
                let made = match (a.as_number(), b.as_number()) {
                    (Some(n), _) => b.times(n),
                    (_, Some(n)) => a.times(n),
                    _ => {
                        let m =
                            "a subscript is a sum of multiples of indices; here two are multiplied";
                        return self.fail(e.span, m);
                    }
                };
                made.or_else(|| self.fail(e.span, large))
            }
            _ => {
                let m = "this is no subscript; expected a sum of multiples of indices and a whole number";
                self.fail(e.span, m)
            }
        }
    }

    /// An element of an array.
    pub(super) fn element(
        &mut self,
        name: &Name,
        of: &[Expr],
        span: crate::lexer::Span,
        scope: &Scope,
    ) -> Option<Element> {
        let found = self
            .model
            .arrays
            .iter()
            .position(|a| a.name.text == name.text);
        let Some(array) = found else {
            let arrays = self.model.arrays.iter().map(|a| &a.name);
            let externs = self.model.externs.iter().map(|f| &f.0);
            let all: Vec<&str> = arrays.chain(externs).map(|n| n.text.as_str()).collect();
            // A function has parentheses, and an array may have them.
            let behind = self.file.text().get(name.span.end as usize..).unwrap_or("");
            let called = behind.trim_start().starts_with('(');
            let macros = self.macros.keys().map(String::as_str);
            let all: Vec<&str> = match called {
                true => all.into_iter().chain(macros).chain(FUNCTIONS).collect(),
                false => all,
            };
            let mut m = match called {
                true => format!("there is no array or function `{}`", name.text),
                false => format!("there is no array `{}`", name.text),
            };
            // Of equally near ones always the same.
            let mut all = all;
            all.sort_unstable();
            if let Some(meant) = nearest(&name.text, all) {
                m += &format!("; there is `{meant}`");
            } else if called {
                m += &format!("; `extern {}(x)` declares one of C", name.text);
            }
            return self.fail(name.span, m);
        };
        let rank = self.model.arrays[array].dims.len();
        if of.len() != rank {
            let m = format!(
                "`{}` has {rank} indices, and {} are given",
                name.text,
                of.len()
            );
            return self.fail(span, m);
        }
        let subscripts: Vec<Option<Form>> = of.iter().map(|e| self.form(e, scope)).collect();
        let subscripts = subscripts.into_iter().collect::<Option<_>>()?;
        Some(Element {
            array,
            subscripts,
            span,
        })
    }

    /// A formula.
    pub(super) fn value(&mut self, e: &Expr, scope: &Scope) -> Option<Value> {
        match &e.kind {
            ExprKind::Number(n, _) => {
                let fits = match self.model.double {
                    true => n.is_finite(),
                    false => (*n as f32).is_finite(),
                };
                if !fits {
                    let (name, most) = match self.model.double {
                        true => ("f64", f64::MAX),
                        false => ("f32", f64::from(f32::MAX)),
                    };
                    let m =
                        format!("the number is too large for {name}, whose greatest is {most:e}");
                    return self.fail(e.span, m);
                }
                Some(Value::Number(*n))
            }
            ExprKind::Name(name) => self.named(name, e, scope),
            ExprKind::Of(name, of) => self.applied(name, of, e, scope),
            ExprKind::Negative(x) => Some(Value::Negative(Box::new(self.value(x, scope)?))),
            ExprKind::Group(x) => Some(Value::Group(Box::new(self.value(x, scope)?))),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.value(a, scope), self.value(b, scope));
                Some(Value::Binary(*op, Box::new(a?), Box::new(b?)))
            }
            ExprKind::If(all) => {
                let [condition, yes, no] = all.as_ref();
                let condition = self.condition(condition, scope);
                let (yes, no) = (self.value(yes, scope), self.value(no, scope));
                Some(Value::If(Box::new(condition?), Box::new([yes?, no?])))
            }
            ExprKind::Compare(..) | ExprKind::Logic(..) | ExprKind::Not(_) | ExprKind::Known(_) => {
                let m = "this is a condition, and a number is expected; `if(x < y, 1, 0)` makes one of it";
                self.fail(e.span, m)
            }
        }
    }

    /// What is compared.
    fn condition(&mut self, e: &Expr, scope: &Scope) -> Option<Condition> {
        match &e.kind {
            ExprKind::Compare(compare, a, b) => {
                let (a, b) = (self.value(a, scope), self.value(b, scope));
                Some(Condition::Compare(*compare, a?, b?))
            }
            ExprKind::Logic(logic, a, b) => {
                let (a, b) = (self.condition(a, scope), self.condition(b, scope));
                Some(Condition::Logic(*logic, Box::new(a?), Box::new(b?)))
            }
            ExprKind::Not(c) => Some(Condition::Not(Box::new(self.condition(c, scope)?))),
            ExprKind::Known(known) => Some(Condition::Known(*known)),
            _ => {
                let m = "this is a number, and a condition is expected, such as `x < y`";
                self.fail(e.span, m)
            }
        }
    }

    fn four(&mut self, all: &[Expr], scope: &Scope) -> Option<[Value; 4]> {
        let made: Vec<Option<Value>> = all.iter().map(|e| self.value(e, scope)).collect();
        let made: Vec<Value> = made.into_iter().collect::<Option<_>>()?;
        made.try_into().ok()
    }

    fn named(&mut self, name: &str, e: &Expr, scope: &Scope) -> Option<Value> {
        if let Some(t) = scope.temporaries.iter().rposition(|t| t == name) {
            return Some(Value::Temporary(t));
        }
        if let Some((_, f)) = scope.indices.iter().rev().find(|(n, _)| n == name) {
            return Some(Value::Index(f.clone()));
        }
        if let Some(p) = self.model.reals.iter().position(|n| n == name) {
            return Some(Value::Real(p));
        }
        if let Some(p) = self.model.indices.iter().position(|n| n == name) {
            return Some(Value::Index(Form::var(Var::Param(p))));
        }
        match name {
            "%pi" | "pi" => return Some(Value::Number(std::f64::consts::PI)),
            "%e" | "E" => return Some(Value::Number(std::f64::consts::E)),
            _ => {}
        }
        if let Some(a) = self.model.arrays.iter().find(|a| a.name.text == name) {
            let indices: Vec<String> = a.dims.iter().map(|d| d.name.text.clone()).collect();
            let m = format!(
                "`{name}` is an array; expected an element, `{name}[{}]`",
                indices.join(", ")
            );
            return self.fail(e.span, m);
        }
        let all: Vec<String> = (scope.temporaries.iter().cloned())
            .chain(scope.indices.iter().map(|i| i.0.clone()))
            .chain(self.model.reals.iter().cloned())
            .chain(self.model.indices.iter().cloned())
            .collect();
        let mut m = format!("`{name}` is not declared");
        if let Some(meant) = nearest(name, all.iter().map(String::as_str)) {
            m += &format!("; there is `{meant}`");
        }
        self.fail(e.span, m)
    }

    /// An element, a macro or a function.
    fn applied(&mut self, name: &Name, of: &[Expr], e: &Expr, scope: &Scope) -> Option<Value> {
        if let Some(m) = self.macros.get(&name.text).copied() {
            if of.len() != m.arguments.len() {
                let said = format!(
                    "`{}` has {} indices, and {} are given",
                    name.text,
                    m.arguments.len(),
                    of.len()
                );
                return self.fail(e.span, said);
            }
            if scope.depth >= DEEPEST {
                let said = format!("macros are nested more than {DEEPEST} deep");
                return self.fail(e.span, said);
            }
            let forms: Vec<Option<Form>> = of.iter().map(|x| self.form(x, scope)).collect();
            let forms: Vec<Form> = forms.into_iter().collect::<Option<_>>()?;
            let names = m.arguments.iter().map(|a| a.text.clone());
            // The formula sees its own arguments, and nothing of where it stands.
            let inner = Scope {
                indices: names.zip(forms).collect(),
                temporaries: Vec::new(),
                depth: scope.depth + 1,
            };
            return self.value(&m.value, &inner);
        }
        if let Some(place) = self
            .model
            .externs
            .iter()
            .position(|f| f.0.text == name.text)
        {
            let arguments = self.model.externs[place].1;
            if of.len() != arguments {
                let m = format!(
                    "`{}` takes {arguments}, and {} are given",
                    name.text,
                    of.len()
                );
                return self.fail(e.span, m);
            }
            let made: Vec<Option<Value>> = of.iter().map(|x| self.value(x, scope)).collect();
            let made = made.into_iter().collect::<Option<_>>()?;
            return Some(Value::Extern(place, made));
        }
        let is_array = self.model.arrays.iter().any(|a| a.name.text == name.text);
        if !is_array && let Some((function, arguments)) = function(&name.text) {
            // SymPy prints the least of three as `Min(x, y, z)`.
            let any = matches!(function, Some(Function::Min | Function::Max)) && of.len() > 2;
            if of.len() != arguments && !any {
                let m = format!(
                    "`{}` takes {arguments}, and {} are given",
                    name.text,
                    of.len()
                );
                return self.fail(e.span, m);
            }
            if SIGNS.contains(&name.text.as_str()) {
                let x = self.value(&of[0], scope)?;
                let all = [
                    x,
                    Value::Number(-1.0),
                    Value::Number(0.0),
                    Value::Number(1.0),
                ];
                return Some(Value::BySign(Box::new(all)));
            }
            let Some(function) = function else {
                return Some(Value::BySign(Box::new(self.four(of, scope)?)));
            };
            let made: Vec<Option<Value>> = of.iter().map(|x| self.value(x, scope)).collect();
            let made: Vec<Value> = made.into_iter().collect::<Option<_>>()?;
            if !any {
                return Some(Value::Call(function, made));
            }
            let two = |x, y| Value::Call(function, vec![x, y]);
            return made.into_iter().reduce(two);
        }
        self.element(name, of, e.span, scope).map(Value::Load)
    }
}

/// A function and how many numbers it takes; without one it is `ifsign`.
fn function(name: &str) -> Option<(Option<Function>, usize)> {
    let one = |f| Some((Some(f), 1));
    match name {
        "sqrt" => one(Function::Sqrt),
        "exp" => one(Function::Exp),
        "log" => one(Function::Log),
        "sin" => one(Function::Sin),
        "cos" => one(Function::Cos),
        "tan" => one(Function::Tan),
        "asin" => one(Function::Asin),
        "acos" => one(Function::Acos),
        "floor" => one(Function::Floor),
        "ceil" | "ceiling" => one(Function::Ceil),
        "sign" | "signum" => Some((None, 1)),
        "atan" => one(Function::Atan),
        "sinh" => one(Function::Sinh),
        "cosh" => one(Function::Cosh),
        "tanh" => one(Function::Tanh),
        "abs" | "Abs" => one(Function::Abs),
        "min" | "Min" => Some((Some(Function::Min), 2)),
        "max" | "Max" => Some((Some(Function::Max), 2)),
        "atan2" => Some((Some(Function::Atan2), 2)),
        "ifsign" => Some((None, 4)),
        _ => None,
    }
}
