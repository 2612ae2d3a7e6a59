//! `init`, `shutdown` and `set`.

use terrace_c::directive::{ClauseKind, Directive, DirectiveKind};

use super::{Rewriter, clauses};

impl Rewriter<'_> {
    /// The calls of the API that a directive stands for.
    pub(super) fn device(&mut self, d: &Directive) {
        let mut types = Vec::new();
        for name in d.clauses.iter().flat_map(|c| &c.device_type) {
            match device_type(name) {
                Some(t) => types.push(t),
                None => {
                    let message = format!(
                        "found `{name}` as a device type, expected nvidia, host or default"
                    );
                    self.error(d.span, message);
                }
            }
        }
        types.dedup();
        let first = types.first().copied().unwrap_or(DEFAULT);
        let mut calls = Vec::new();
        match d.kind {
            DirectiveKind::Init => calls.push(format!("__terrace_init({first});")),
            DirectiveKind::Shutdown => calls.push(format!("__terrace_shutdown({first});")),
            _ if !types.is_empty() => calls.push(format!("__terrace_set_device_type({first});")),
            _ => {}
        }
        for c in &d.clauses {
            match &c.kind {
                ClauseKind::DeviceNum(n) => {
                    let call = format!("__terrace_set_device_num((int)({}), {first});", n.text);
                    // The number is chosen before the device is started.
                    calls.insert(0, call);
                }
                ClauseKind::DefaultAsync(q) => {
                    calls.push(format!("__terrace_set_default_async((int)({}));", q.text));
                }
                _ => {}
            }
        }
        let mut code = calls.join(" ");
        if let Some(cond) = clauses::condition(d) {
            code = format!("if ({cond}) {{ {code} }}");
        }
        self.preamble.device = true;
        self.instead_of(d, &format!("{{ {code} }}"));
    }
}

/// `acc_device_default`.
const DEFAULT: i32 = 1;

/// The value of a name in `acc_device_t`.
fn device_type(name: &str) -> Option<i32> {
    match name.to_ascii_lowercase().as_str() {
        "none" => Some(0),
        "default" | "*" => Some(DEFAULT),
        "host" | "multicore" => Some(2),
        "current" => Some(3),
        "not_host" => Some(4),
        "nvidia" | "acc_device_nvidia" => Some(5),
        _ => None,
    }
}
