//! Variables that a construct has copies of its own of, where the statement itself runs:
//! one gang of one worker, which has the copies under the variables' names.
//!
//! ```c
//! { T c = x; { T x = c; S } }
//! ```
//!
//! so that S stays as it is. What S calls finds the program's own variables, as on a
//! device, where a function has those that `declare` names.

use terrace_c::directive::{DataKind, Directive, DirectiveKind, Reduction, Section};
use terrace_c::hir::{ExprKind, Stmt, Storage, VarId};
use terrace_c::lower::sharing::{self, Own, Sharing, Start};
use terrace_c::types::{Float, Type};

use super::super::Rewriter;
use super::super::section::{self, Memory};
use crate::c::visit;

/// The text around a statement.
#[derive(Debug, Default)]
pub struct Copies {
    /// Declarations under names of ours.
    outer: String,
    /// Declarations that hide the program's.
    inner: String,
    /// Statements behind those.
    first: String,
    /// Statements behind the program's, innermost first.
    last: String,
    /// Statements where the program's names are visible again.
    close: String,
}

impl Copies {
    pub fn is_empty(&self) -> bool {
        self.outer.is_empty() && self.inner.is_empty()
    }

    pub fn open(&self) -> String {
        match self.is_empty() {
            true => String::new(),
            false => format!(" {{{} {{{}{}", self.outer, self.inner, self.first),
        }
    }

    pub fn close(&self) -> String {
        match self.is_empty() {
            true => String::new(),
            false => format!("{}}}{} }} ", self.last, self.close),
        }
    }
}

impl Rewriter<'_> {
    /// The copies of a compute construct, and what they hide in its statement.
    pub(in crate::c::rewrite) fn construct_copies(
        &self,
        d: &Directive,
        s: &Stmt,
        names: &str,
    ) -> (Copies, Shadows) {
        let own = match d.kind {
            DirectiveKind::Compute { construct, .. } => {
                Sharing::of(self.unit, construct, Some(d), s).copies(self.unit, d, s)
            }
            _ => Vec::new(),
        };
        let hidden = own.iter().map(|o| (o.var, uses(o.var, s))).collect();
        (self.copies(&own, names), Shadows(hidden))
    }

    /// The copies of a loop directive; none of variables that a construct around has
    /// copies of, and which nothing in it uses but this loop.
    pub(in crate::c::rewrite) fn loop_copies(
        &self,
        d: &Directive,
        s: &Stmt,
        names: &str,
    ) -> Copies {
        let mut own = sharing::of_loop(self.unit, d, s);
        own.retain(|o| {
            let here = uses(o.var, s);
            let hidden = self.shadows.iter().rev().find_map(|s| s.uses(o.var));
            here > 0 && hidden.is_none_or(|around| around > here)
        });
        self.copies(&own, names)
    }

    fn copies(&self, own: &[Own], names: &str) -> Copies {
        let mut c = Copies::default();
        for (k, o) in own.iter().enumerate() {
            let copy = format!("{names}{k}");
            match o.section {
                Some(s) => self.memory_copy(o, s, &copy, &mut c),
                None => self.variable_copy(o, &copy, &mut c),
            }
        }
        c
    }

    /// A copy of a variable as a whole.
    fn variable_copy(&self, o: &Own, copy: &str, c: &mut Copies) {
        let var = self.unit.var(o.var);
        let name = &var.name;
        if o.start != Start::Nothing {
            c.outer
                .push_str(&format!(" __typeof__({name}) {copy} = {name};"));
        }
        let start = match o.start {
            Start::Nothing => String::new(),
            Start::Value => format!(" = {copy}"),
            Start::Identity(op) => format!(" = {}", identity(op, &var.ty)),
        };
        c.inner.push_str(&format!(
            " __typeof__({name}) {name} __attribute__((__unused__)){start};"
        ));
        if let Start::Identity(op) = o.start {
            let both = combine(op, copy, name);
            c.last.push_str(&format!(" {copy} = {both};"));
            c.close.push_str(&format!(" {name} = {copy};"));
        }
    }

    /// A copy of an array, or of part of what a pointer points to.
    fn memory_copy(&self, o: &Own, s: &Section, copy: &str, c: &mut Copies) {
        let var = self.unit.var(o.var);
        let name = &var.name;
        // What cannot be described is an error elsewhere.
        let Ok(memory) = section::memory(self.unit, s, DataKind::Firstprivate) else {
            return;
        };
        let array = matches!(var.ty, Type::Array(_)) && s.dims.is_empty();
        if array && var.storage == Storage::Local {
            c.inner.push_str(&format!(
                " __typeof__({name}) {name} __attribute__((__unused__));"
            ));
            if o.start == Start::Value {
                c.outer.push_str(&format!(
                    " void *{copy} = (void *)(__terrace_word)&({name});"
                ));
                c.first.push_str(&format!(
                    " __builtin_memcpy((void *)(__terrace_word)&({name}), {copy}, \
                     sizeof({name}));"
                ));
            }
            return;
        }
        let Memory {
            base, first, bytes, ..
        } = memory;
        let from = match o.start {
            Start::Nothing => "0".to_string(),
            _ => format!(
                "(void *)(__terrace_word)((__terrace_word){base} + (__terrace_word){copy}f)"
            ),
        };
        c.outer.push_str(&format!(
            " long {copy}f = {first}; void *{copy} = terrace_copy_of({from}, {bytes});"
        ));
        c.inner.push_str(&format!(
            " __typeof__(&({name})[0]) {name} __attribute__((__unused__)) = \
             (__typeof__(&({name})[0]))(void *)((__terrace_word){copy} - (__terrace_word){copy}f);"
        ));
        c.close.push_str(&format!(" terrace_copy_end({copy});"));
    }
}

/// Variables of which a construct has copies of its own, and how often its statement
/// names each.
#[derive(Debug, Default)]
pub struct Shadows(Vec<(VarId, usize)>);

impl Shadows {
    fn uses(&self, v: VarId) -> Option<usize> {
        self.0.iter().find(|s| s.0 == v).map(|s| s.1)
    }
}

fn uses(v: VarId, s: &Stmt) -> usize {
    let mut n = 0;
    visit::expressions(s, |e| n += usize::from(e.kind == ExprKind::Var(v)));
    n
}

/// What a reduction's copies begin with.
fn identity(op: Reduction, ty: &Type) -> String {
    let extreme = |greatest: bool| match ty {
        Type::Float(Float::F32 | Float::F64) => {
            let sign = if greatest { "" } else { "-" };
            format!("{sign}__builtin_huge_val()")
        }
        Type::Int(i) => {
            let bits = u32::from(i.bits) - u32::from(i.signed);
            let top = format!("{}ull", u64::MAX >> (64 - bits.clamp(1, 64)));
            match (greatest, i.signed) {
                (true, false) => top,
                (true, true) => format!("(long long){top}"),
                (false, false) => "0".to_string(),
                (false, true) => format!("(-(long long){top} - 1)"),
            }
        }
        _ => if greatest { "1" } else { "0" }.to_string(),
    };
    match op {
        Reduction::Add | Reduction::BitOr | Reduction::BitXor | Reduction::Or => "0".to_string(),
        Reduction::Mul | Reduction::And => "1".to_string(),
        Reduction::BitAnd => match ty {
            Type::Bool => "1".to_string(),
            _ => "~0".to_string(),
        },
        Reduction::Max => extreme(false),
        Reduction::Min => extreme(true),
    }
}

/// Two operands of a reduction as one.
fn combine(op: Reduction, a: &str, b: &str) -> String {
    match op {
        Reduction::Add => format!("{a} + {b}"),
        Reduction::Mul => format!("{a} * {b}"),
        Reduction::Max => format!("{b} > {a} ? {b} : {a}"),
        Reduction::Min => format!("{b} < {a} ? {b} : {a}"),
        Reduction::BitAnd => format!("{a} & {b}"),
        Reduction::BitOr => format!("{a} | {b}"),
        Reduction::BitXor => format!("{a} ^ {b}"),
        Reduction::And => format!("{a} && {b}"),
        Reduction::Or => format!("{a} || {b}"),
    }
}
