//! `host_data use_device(p)`: a block in which `p` is the address on the device.

use terrace_c::directive::{ClauseKind, Directive, Section};
use terrace_c::hir::ExprKind;
use terrace_c::types::Type;

use super::{Rewriter, c_string, clauses, section};

impl Rewriter<'_> {
    /// Opens the construct, and says what closes it behind the statement.
    ///
    /// The name is declared again. An initialiser would mean the new variable, so the
    /// address goes through a variable of ours in a block around.
    pub(super) fn open_host_data(&mut self, d: &Directive) -> String {
        let n = self.number();
        let mut outer = String::from("{");
        let mut inner = String::from(" {");
        let mut count = 0;
        let vars: Vec<&Section> = d
            .clauses
            .iter()
            .filter_map(|c| match &c.kind {
                ClauseKind::UseDevice(vars) => Some(vars),
                _ => None,
            })
            .flatten()
            .collect();
        let condition = clauses::condition(d);
        for s in vars {
            let name = s.base.text.trim();
            let e = section::object(s);
            let variable = e.is_some_and(|e| matches!(e.kind, ExprKind::Var(_)));
            let right = e.is_some_and(|e| matches!(e.ty, Type::Pointer(_) | Type::Array(_)));
            if !variable || !right {
                let message = format!(
                    "found `{name}` in use_device, expected the name of an array or of a pointer"
                );
                self.error(s.span, message);
                continue;
            }
            let host = format!("(void *)(__terrace_word)&({name})[0]");
            let if_present = clauses::has(d, |c| matches!(c, ClauseKind::IfPresent));
            let device = format!(
                "terrace_use_device({host}, {}, {}, {})",
                u8::from(if_present),
                c_string(name),
                self.place(d.span)
            );
            let address = match &condition {
                Some(cond) => format!("{cond} ? {device} : {host}"),
                None => device,
            };
            outer.push_str(&format!(" void *__terrace_p{n}_{count} = {address};"));
            inner.push_str(&format!(
                " __typeof__(&({name})[0]) {name} = \
                 (__typeof__(&({name})[0]))__terrace_p{n}_{count};"
            ));
            count += 1;
        }
        self.open_at(d, &format!("{outer}{inner}"));
        "} }".to_string()
    }
}
