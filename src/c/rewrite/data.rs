//! `data` constructs.

use terrace_c::directive::{DataKind, Directive};
use terrace_c::hir::Stmt;

use super::maps::Frame;
use super::{Rewriter, clauses, jumps};

impl Rewriter<'_> {
    /// Opens the construct around a statement, and says what closes it.
    pub(super) fn open_data(&mut self, d: &Directive, s: &Stmt) -> String {
        for jump in jumps::out_of(s) {
            let message = format!(
                "`{}` leaves a data construct, whose data would never be given back; let the \
                 construct end first",
                jump.what
            );
            self.error(jump.span, message);
        }
        let mut vars = Vec::new();
        for (kind, s) in d.data() {
            match kind {
                DataKind::Delete | DataKind::Detach => {
                    self.refuse(kind, s.span, "a data construct", "it belongs to exit data");
                }
                _ => vars.push((kind, s)),
            }
        }
        let n = self.number();
        let maps = format!("__terrace_m{n}");
        let (code, frame) = self.fill(&maps, &vars, 0);
        let count = code.len();
        self.frames.push(Frame {
            maps: maps.clone(),
            vars: frame,
        });
        let place = self.place(d.span);
        let queue = clauses::queue(d);
        let waits = clauses::waits(d);
        if count == 0 {
            self.open_at(d, &format!("{{ {waits}"));
            return "}".to_string();
        }
        // The maps are filled on the host too: regions within refer to them.
        let mut open = format!("{{ struct __terrace_map {maps}[{count}]; int __terrace_d{n};");
        open.push_str(&format!(" long __terrace_q{n};"));
        for c in code {
            open.push(' ');
            open.push_str(&c);
        }
        let on = match clauses::condition(d) {
            Some(cond) => format!("{cond} && terrace_on_device()"),
            None => "terrace_on_device()".to_string(),
        };
        open.push_str(&format!(
            " __terrace_d{n} = {on}; __terrace_q{n} = {queue}; {waits}\
             if (__terrace_d{n}) terrace_data_enter({maps}, {count}, __terrace_q{n}, {place});"
        ));
        self.open_at(d, &open);
        format!(
            "if (__terrace_d{n}) terrace_data_exit({maps}, {count}, __terrace_q{n}, {place}); }}"
        )
    }

    /// Closes what was opened last, behind the statement.
    pub(super) fn close_data(&mut self, end: u32, code: &str) {
        self.frames.pop();
        if code == "}" {
            self.close(end, code);
        } else {
            self.within(end, code);
        }
    }
}
