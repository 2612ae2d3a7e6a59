//! The typed tree as text: C with every conversion written, and nothing left out.
//!
//! A second variable of one name in a function is `name'2`.

use std::collections::HashMap;
use std::fmt::Write;

use super::{Arm, Expr, ExprKind, Function, Init, Span, Stmt, StmtKind, Storage, Unit, VarId};
use crate::types::{Extent, Type, spell};

/// Everything of a unit that is not from system headers.
pub fn print(unit: &Unit) -> String {
    let own = |span: Span| !unit.source.is_system(span.start as usize);
    let mut p = Printer::new(unit);
    for (i, var) in unit.vars.iter().enumerate() {
        let file = matches!(
            var.storage,
            Storage::Global | Storage::FileStatic | Storage::Extern
        );
        if file && own(var.span) {
            p.variable(VarId(i as u32), var.init.as_ref());
            p.end_line(";");
        }
    }
    for id in &unit.file_directives {
        let text = unit.text(unit.directive(*id).span).trim().to_owned();
        p.end_line(&text);
    }
    for f in unit.functions.iter().filter(|f| own(f.name_span)) {
        p.function(f);
    }
    p.out
}

/// One function.
pub fn print_function(unit: &Unit, f: &Function) -> String {
    let mut p = Printer::new(unit);
    p.function(f);
    p.out
}

struct Printer<'a> {
    unit: &'a Unit,
    out: String,
    indent: usize,
    /// Names of the function's variables, and how often each was given.
    names: HashMap<VarId, String>,
    given: HashMap<&'a str, usize>,
}

impl<'a> Printer<'a> {
    fn new(unit: &'a Unit) -> Self {
        Printer {
            unit,
            out: String::new(),
            indent: 0,
            names: HashMap::new(),
            given: HashMap::new(),
        }
    }

    fn push(&mut self, text: &str) {
        if self.out.is_empty() || self.out.ends_with('\n') {
            for _ in 0..self.indent {
                self.out.push_str("  ");
            }
        }
        self.out.push_str(text);
    }

    fn end_line(&mut self, text: &str) {
        self.push(text);
        self.out.push('\n');
    }

    fn name(&mut self, id: VarId) -> String {
        if let Some(name) = self.names.get(&id) {
            return name.clone();
        }
        let unit = self.unit;
        let var = unit.var(id);
        let count = self.given.entry(&var.name).or_insert(0);
        *count += 1;
        let name = match *count {
            1 => var.name.clone(),
            n => format!("{}'{n}", var.name),
        };
        self.names.insert(id, name.clone());
        name
    }

    fn ty(&mut self, ty: &Type) -> String {
        spell(&self.unit.records, ty)
    }

    fn variable(&mut self, id: VarId, init: Option<&Init>) {
        let unit = self.unit;
        let var = unit.var(id);
        let storage = match var.storage {
            Storage::FileStatic | Storage::LocalStatic => "static ",
            Storage::Extern => "extern ",
            Storage::Global | Storage::Local | Storage::Param => "",
        };
        self.push(storage);
        if var.is_const {
            self.push("const ");
        }
        if var.is_volatile {
            self.push("volatile ");
        }
        let name = self.name(id);
        let text = format!("{name}: {}", self.ty(&var.ty));
        self.push(&text);
        self.extents(&var.ty);
        if var.address_taken {
            self.push(" /* address taken */");
        }
        if let Some(init) = init {
            self.push(" = ");
            self.init(init);
        }
    }

    /// Lengths that are not constant: `{n, m}` behind a type.
    fn extents(&mut self, ty: &Type) {
        let mut lengths = Vec::new();
        let mut at = ty;
        loop {
            match at {
                Type::Array(a) => {
                    if let Extent::Expr(e) = &a.len {
                        lengths.push((**e).clone());
                    }
                    at = &a.of;
                }
                Type::Pointer(p) => {
                    match &p.declared {
                        Some(Extent::Expr(e)) => lengths.push((**e).clone()),
                        Some(Extent::Const(n)) => {
                            let text = format!(" declared [{n}]");
                            self.push(&text);
                        }
                        _ => {}
                    }
                    at = &p.to;
                }
                _ => break,
            }
        }
        if lengths.is_empty() {
            return;
        }
        self.push(" {");
        self.list(&lengths);
        self.push("}");
    }

    fn init(&mut self, init: &Init) {
        match init {
            Init::Expr(e) => self.expr(e),
            Init::List(items) => {
                self.push("{");
                for (i, (index, item)) in items.iter().enumerate() {
                    let gap = if i > 0 { ", " } else { "" };
                    let text = format!("{gap}{index}: ");
                    self.push(&text);
                    self.init(item);
                }
                self.push("}");
            }
        }
    }

    fn function(&mut self, f: &Function) {
        self.names.clear();
        self.given.clear();
        let unit = self.unit;
        for id in &f.directives {
            let text = unit.text(unit.directive(*id).span).trim().to_owned();
            self.end_line(&text);
        }
        let storage = if f.is_static { "static " } else { "" };
        let inline = if f.is_inline { "inline " } else { "" };
        let head = format!("{storage}{inline}{} {}(", self.ty(&f.result), f.name);
        self.push(&head);
        for (i, p) in f.params.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            self.variable(*p, None);
        }
        self.push(if f.variadic { ", ...) " } else { ") " });
        self.stmt(&f.body);
    }

    fn block(&mut self, body: &[Stmt]) {
        self.end_line("{");
        self.indent += 1;
        for s in body {
            self.stmt(s);
        }
        self.indent -= 1;
        self.end_line("}");
    }

    /// A statement in another, on its own line and indented.
    fn inner(&mut self, s: &Stmt) {
        if matches!(s.kind, StmtKind::Block(_)) && s.directives.is_empty() {
            self.push(" ");
            return self.stmt(s);
        }
        self.out.push('\n');
        self.indent += 1;
        self.stmt(s);
        self.indent -= 1;
    }

    fn stmt(&mut self, s: &Stmt) {
        let unit = self.unit;
        for id in &s.directives {
            let text = unit.text(unit.directive(*id).span).trim().to_owned();
            self.end_line(&text);
        }
        match &s.kind {
            StmtKind::Empty => self.end_line(";"),
            StmtKind::Expr(e) => {
                self.full(e);
                self.end_line(";");
            }
            StmtKind::Block(body) => self.block(body),
            StmtKind::Decl(vars) => {
                self.decl(vars);
                self.end_line(";");
            }
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                self.push("if (");
                self.expr(cond);
                self.push(")");
                self.inner(then);
                if let Some(otherwise) = otherwise {
                    self.push("else");
                    self.inner(otherwise);
                }
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                self.push("for (");
                match init.as_deref().map(|i| &i.kind) {
                    Some(StmtKind::Decl(vars)) => self.decl(vars),
                    Some(StmtKind::Expr(e)) => self.full(e),
                    _ => {}
                }
                self.push("; ");
                cond.iter().for_each(|e| self.expr(e));
                self.push("; ");
                step.iter().for_each(|e| self.full(e));
                self.push(")");
                self.inner(body);
            }
            StmtKind::While { cond, body } => {
                self.push("while (");
                self.expr(cond);
                self.push(")");
                self.inner(body);
            }
            StmtKind::DoWhile { body, cond } => {
                self.push("do");
                self.inner(body);
                self.push("while (");
                self.expr(cond);
                self.end_line(");");
            }
            StmtKind::Switch { value, arms } => {
                self.push("switch (");
                self.expr(value);
                self.end_line(") {");
                arms.iter().for_each(|a| self.arm(a));
                self.end_line("}");
            }
            StmtKind::Break => self.end_line("break;"),
            StmtKind::Continue => self.end_line("continue;"),
            StmtKind::Return(value) => {
                self.push("return");
                if let Some(value) = value {
                    self.push(" ");
                    self.expr(value);
                }
                self.end_line(";");
            }
            StmtKind::Goto(label) => self.end_line(&format!("goto {label};")),
            StmtKind::Label(label, inner) => {
                self.end_line(&format!("{label}:"));
                self.stmt(inner);
            }
            StmtKind::Directive(id) => {
                let text = unit.text(unit.directive(*id).span).trim().to_owned();
                self.end_line(&text);
            }
            StmtKind::Unsupported(why) => self.end_line(&format!("<{why}>;")),
        }
    }

    fn decl(&mut self, vars: &[(VarId, Option<Init>)]) {
        for (i, (id, init)) in vars.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            self.variable(*id, init.as_ref());
        }
    }

    fn arm(&mut self, arm: &Arm) {
        for label in &arm.labels {
            match label {
                Some(v) => self.end_line(&format!("case {v}:")),
                None => self.end_line("default:"),
            }
        }
        self.indent += 1;
        arm.body.iter().for_each(|s| self.stmt(s));
        self.indent -= 1;
    }

    fn list(&mut self, list: &[Expr]) {
        for (i, e) in list.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            self.expr(e);
        }
    }

    /// `before e after`.
    fn around(&mut self, before: &str, e: &Expr, after: &str) {
        self.push(before);
        self.expr(e);
        self.push(after);
    }

    /// `(a op b)`.
    fn infix(&mut self, lhs: &Expr, op: &str, rhs: &Expr) {
        self.around("(", lhs, " ");
        self.push(op);
        self.around(" ", rhs, ")");
    }

    /// An expression that is a part of no other.
    fn full(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Assign { target, value } => {
                self.expr(target);
                self.around(" = ", value, "");
            }
            ExprKind::CompoundAssign {
                op,
                target,
                value,
                compute,
            } => {
                self.expr(target);
                let ty = self.ty(compute);
                self.around(&format!(" {}=({ty}) ", op.symbol()), value, "");
            }
            _ => self.expr(e),
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Int(v) => {
                let suffix = match &e.ty {
                    Type::Int(i) if i.bits == 64 && i.signed => "L",
                    Type::Int(i) if i.bits == 64 => "UL",
                    Type::Int(i) if !i.signed => "U",
                    _ => "",
                };
                self.push(&format!("{v}{suffix}"));
            }
            ExprKind::Float(v) => {
                let suffix = if e.ty == Type::FLOAT { "f" } else { "" };
                self.push(&format!("{v:?}{suffix}"));
            }
            ExprKind::Str(bytes) => {
                let mut text = String::new();
                for b in bytes {
                    let _ = write!(text, "{}", b.escape_ascii());
                }
                self.push(&format!("\"{text}\""));
            }
            ExprKind::Var(id) => {
                let name = self.name(*id);
                self.push(&name);
            }
            ExprKind::Function(name) => self.push(name),
            ExprKind::Index { base, index } => {
                self.expr(base);
                self.around("[", index, "]");
            }
            ExprKind::Deref(p) => self.around("(*", p, ")"),
            ExprKind::Member { base, field } => {
                self.expr(base);
                let name = match &base.ty {
                    Type::Record(r) => self
                        .unit
                        .records
                        .get(*r)
                        .and_then(|r| r.fields.as_ref()?.get(*field))
                        .map_or("?", |f| f.name.as_str()),
                    _ => "?",
                };
                self.push(".");
                self.push(if name.is_empty() { "(unnamed)" } else { name });
            }
            ExprKind::AddressOf(e) => self.around("(&", e, ")"),
            ExprKind::Decay(e) => self.around("decay(", e, ")"),
            ExprKind::Cast(inner) => {
                let ty = self.ty(&e.ty);
                self.around(&format!("({ty})"), inner, "");
            }
            ExprKind::Neg(e) => self.around("(-", e, ")"),
            ExprKind::BitNot(e) => self.around("(~", e, ")"),
            ExprKind::Not(e) => self.around("(!", e, ")"),
            ExprKind::Binary { op, lhs, rhs } => self.infix(lhs, op.symbol(), rhs),
            ExprKind::PointerAdd {
                pointer,
                offset,
                subtract,
            } => self.infix(pointer, if *subtract { "-." } else { "+." }, offset),
            ExprKind::PointerDiff { lhs, rhs } => self.infix(lhs, "-.", rhs),
            ExprKind::Logical { and, lhs, rhs } => {
                self.infix(lhs, if *and { "&&" } else { "||" }, rhs);
            }
            ExprKind::Conditional {
                cond,
                then,
                otherwise,
            } => {
                self.around("(", cond, " ? ");
                self.expr(then);
                self.around(" : ", otherwise, ")");
            }
            ExprKind::Assign { .. } | ExprKind::CompoundAssign { .. } => {
                self.push("(");
                self.full(e);
                self.push(")");
            }
            ExprKind::IncDec {
                increment,
                prefix,
                target,
            } => {
                let word = if *increment { "++" } else { "--" };
                if *prefix {
                    self.around(word, target, "");
                } else {
                    self.around("", target, word);
                }
            }
            ExprKind::Call { function, args } => {
                self.push(&format!("{function}("));
                self.list(args);
                self.push(")");
            }
            ExprKind::Comma(a, b) => self.infix(a, ",", b),
            ExprKind::Compound { init, .. } => {
                self.push("(literal)");
                self.init(init);
            }
            ExprKind::Unsupported(why) => self.push(&format!("<{why}>")),
        }
    }
}
