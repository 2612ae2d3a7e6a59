//! Statements, and how they are written.

use super::expr::Expr;
use std::fmt::Write;

#[derive(Clone, Debug)]
pub enum Stmt {
    Eval(Expr),
    Assign(Expr, &'static str, Expr),
    /// The first assignment of a variable that a directive makes private.
    First(Expr, Expr),
    /// A target that is only updated by one operation: it is `T` in the text, the value `V`.
    Update(Expr, String, Expr),
    /// A place followed by `++` or `--`.
    Step(Expr, &'static str),
    /// A scalar: its type and name, and what it is at first.
    Declare(String, Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    Loop(Loop),
    Switch(Expr, Vec<Case>),
    Block(Vec<Stmt>),
    /// A whole line that is left out or not.
    Line(String),
    Directed(Directed),
}

#[derive(Clone, Debug)]
pub struct Loop {
    /// What stands in the parentheses of a `for`, around the expressions.
    pub head: Head,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub enum Head {
    /// Text before the first bound, that bound, text up to the second, that one, the rest.
    For(String, Expr, String, Expr, String),
    While(Expr),
    DoWhile(Expr),
}

#[derive(Clone, Debug)]
pub struct Case {
    /// Nothing is `default`.
    pub labels: Vec<Option<i128>>,
    pub body: Vec<Stmt>,
}

/// A statement under directives.
#[derive(Clone, Debug, Default)]
pub struct Directed {
    /// Lines before it: a directive each, with clauses that may be left out.
    pub before: Vec<Directive>,
    pub body: Vec<Stmt>,
    /// Whether braces belong around the body.
    pub braces: bool,
    pub after: Option<String>,
    /// Variables (type, name, a name for a copy) that are after it what they were before.
    pub kept: Vec<[String; 3]>,
    /// Whether directives say something of it that need not be so without them: subscripts and
    /// directives in it are then left as they are.
    pub asserted: bool,
}

#[derive(Clone, Debug)]
pub struct Directive {
    pub text: String,
    /// Clauses, and whether the program means the same without.
    pub clauses: Vec<(String, bool)>,
}

impl Directive {
    pub fn new(text: &str) -> Directive {
        Directive {
            text: text.into(),
            clauses: Vec::new(),
        }
    }

    pub fn with(mut self, clause: String) -> Directive {
        self.clauses.push((clause, false));
        self
    }
}

/// Lines of text with indentation.
#[derive(Default)]
pub struct Text {
    pub text: String,
    depth: usize,
}

impl Text {
    pub fn line(&mut self, l: &str) {
        let pad = 2 * self.depth;
        let _ = writeln!(self.text, "{:pad$}{l}", "");
    }

    fn raw(&mut self, l: &str) {
        let _ = writeln!(self.text, "{l}");
    }

    pub fn block(&mut self, stmts: &[Stmt]) {
        self.depth += 1;
        for s in stmts {
            self.stmt(s);
        }
        self.depth -= 1;
    }

    fn stmt(&mut self, s: &Stmt) {
        match s {
            Stmt::Eval(e) => self.line(&format!("{};", e.bare())),
            Stmt::Assign(l, op, r) => self.line(&format!("{} {op} {};", l.text(), r.bare())),
            Stmt::First(l, r) => self.line(&format!("{} = {};", l.text(), r.bare())),
            Stmt::Update(t, form, v) => {
                let with = |c: char| match c {
                    'T' => t.text(),
                    'V' => v.text(),
                    c => c.to_string(),
                };
                let text: String = form.chars().map(with).collect();
                self.line(&text);
            }
            Stmt::Step(l, op) => self.line(&format!("{}{op};", l.text())),
            Stmt::Declare(d, e) => self.line(&format!("{d} = {};", e.bare())),
            Stmt::Line(l) => {
                if l.starts_with('#') {
                    self.raw(l);
                } else {
                    self.line(l);
                }
            }
            Stmt::If(c, a, b) => {
                self.line(&format!("if ({}) {{", c.bare()));
                self.block(a);
                if !b.is_empty() {
                    self.line("} else {");
                    self.block(b);
                }
                self.line("}");
            }
            Stmt::Loop(l) => self.looped(l),
            Stmt::Switch(e, cases) => {
                self.line(&format!("switch ({}) {{", e.bare()));
                for c in cases {
                    for l in &c.labels {
                        match l {
                            Some(v) => self.line(&format!("case {v}:")),
                            None => self.line("default:"),
                        }
                    }
                    if c.body.is_empty() {
                        self.line("  ;");
                    }
                    self.block(&c.body);
                }
                self.line("}");
            }
            Stmt::Block(b) => {
                self.line("{");
                self.block(b);
                self.line("}");
            }
            Stmt::Directed(d) => self.directed(d),
        }
    }

    fn looped(&mut self, l: &Loop) {
        let tail = match &l.head {
            Head::For(a, from, b, to, c) => {
                self.line(&format!("for ({a}{}{b}{}{c}) {{", from.text(), to.text()));
                String::from("}")
            }
            Head::While(c) => {
                self.line(&format!("while ({}) {{", c.bare()));
                String::from("}")
            }
            Head::DoWhile(c) => {
                self.line("do {");
                format!("}} while ({});", c.bare())
            }
        };
        self.block(&l.body);
        self.line(&tail);
    }

    fn directed(&mut self, d: &Directed) {
        if !d.kept.is_empty() {
            self.raw("#ifdef PLAIN");
            for [ty, name, copy] in &d.kept {
                self.line(&format!("{ty} {copy} = {name};"));
            }
            self.raw("#endif");
        }
        for b in &d.before {
            let clauses: Vec<&str> = b.clauses.iter().map(|(c, _)| c.as_str()).collect();
            let line = format!("#pragma {} {}", b.text, clauses.join(" "));
            self.raw(line.trim_end());
        }
        if d.braces {
            self.line("{");
        }
        self.block(&d.body);
        if d.braces {
            self.line("}");
        }
        if let Some(a) = &d.after {
            self.raw(a);
        }
        if !d.kept.is_empty() {
            self.raw("#ifdef PLAIN");
            for [_, name, copy] in &d.kept {
                self.line(&format!("{name} = {copy};"));
            }
            self.raw("#endif");
        }
    }
}
