//! Copies of arrays in `firstprivate` clauses where the statement itself runs.

use terrace_c::directive::Directive;
use terrace_c::hir::{ExprKind, Storage};
use terrace_c::types::Type;

use super::super::section::{self, Memory};
use super::super::{Rewriter, clauses};

impl Rewriter<'_> {
    /// Where the statement itself runs: copies of its own of the arrays in `firstprivate`
    /// clauses, under their names, and what takes them back.
    pub(super) fn host_copies(&mut self, d: Option<&Directive>, names: &str) -> (String, String) {
        let (mut outer, mut inner) = (String::new(), String::new());
        let (mut copies, mut close) = (String::new(), String::new());
        for (k, (kind, s)) in d.into_iter().flat_map(clauses::private_copies).enumerate() {
            let variable = section::object(s).filter(|e| matches!(e.kind, ExprKind::Var(_)));
            let (Some(e), Ok(memory)) = (variable, section::memory(self.unit, s, kind)) else {
                continue;
            };
            let (name, copy) = (s.base.text.trim(), format!("{names}{k}"));
            let automatic = match e.kind {
                ExprKind::Var(v) => self.unit.var(v).storage == Storage::Local,
                _ => false,
            };
            if automatic && matches!(e.ty, Type::Array(_)) && s.dims.is_empty() {
                outer.push_str(&format!(
                    " void *{copy} = (void *)(__terrace_word)&({name});"
                ));
                inner.push_str(&format!(
                    " __typeof__({name}) {name} __attribute__((__unused__));"
                ));
                copies.push_str(&format!(
                    " __builtin_memcpy((void *)(__terrace_word)&({name}), {copy}, sizeof({name}));"
                ));
                continue;
            }
            let Memory {
                base, first, bytes, ..
            } = memory;
            outer.push_str(&format!(
                " long {copy}f = {first}; void *{copy} = terrace_copy_of((void *)(__terrace_word)\
                 ((__terrace_word){base} + (__terrace_word){copy}f), {bytes});"
            ));
            inner.push_str(&format!(
                " __typeof__(&({name})[0]) {name} __attribute__((__unused__)) = \
                 (__typeof__(&({name})[0]))(void *)((__terrace_word){copy} - \
                 (__terrace_word){copy}f);"
            ));
            close.push_str(&format!(" terrace_copy_end({copy});"));
        }
        if outer.is_empty() {
            return (String::new(), String::new());
        }
        (
            format!(" {{{outer} {{{inner}{copies}"),
            format!("}}{close} }} "),
        )
    }
}
