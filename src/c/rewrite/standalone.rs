//! Directives that are statements: `enter data`, `exit data`, `update`, `wait`.

use terrace_c::directive::{ClauseKind, DataKind, Directive, DirectiveKind, Section};

use super::maps::{DYNAMIC, FINALIZE, behind, set};
use super::section::Memory;
use super::{Rewriter, clauses};

impl Rewriter<'_> {
    /// The statement of a directive that stands by itself.
    pub(super) fn standalone(&mut self, d: &Directive) {
        match &d.kind {
            DirectiveKind::EnterData => self.enter_or_exit(d, true),
            DirectiveKind::ExitData => self.enter_or_exit(d, false),
            DirectiveKind::Update => self.update(d),
            DirectiveKind::Wait(queues) => {
                let queue = clauses::is_async(d).then(|| clauses::queue(d));
                let mut code = clauses::wait_for(queues, queue.as_deref());
                if let Some(cond) = clauses::condition(d) {
                    code = format!("if ({cond}) {{ {code} }}");
                }
                self.instead_of(d, &format!("{{ {code} }}"));
            }
            DirectiveKind::Declare => self.declare(d),
            DirectiveKind::Init | DirectiveKind::Shutdown | DirectiveKind::Set => self.device(d),
            // Says how a region is run, or belongs to the statement behind it.
            DirectiveKind::Compute { .. }
            | DirectiveKind::Loop
            | DirectiveKind::Data
            | DirectiveKind::HostData
            | DirectiveKind::Cache(_)
            | DirectiveKind::Routine(_)
            | DirectiveKind::Atomic(_)
            | DirectiveKind::Scop
            | DirectiveKind::EndScop
            | DirectiveKind::Host
            | DirectiveKind::Target(_)
            | DirectiveKind::Schedule(_) => {}
        }
    }

    fn enter_or_exit(&mut self, d: &Directive, enter: bool) {
        let mut vars = Vec::new();
        for (kind, s) in d.data() {
            let right = match kind {
                DataKind::Copyin | DataKind::Create | DataKind::Attach => enter,
                DataKind::Copyout | DataKind::Delete | DataKind::Detach => !enter,
                _ => false,
            };
            match (right, enter) {
                (true, _) => vars.push((kind, s)),
                (false, true) => {
                    let right = "it takes copyin, create and attach";
                    self.refuse(kind, s.span, "enter data", right);
                }
                (false, false) => {
                    let right = "it takes copyout, delete and detach";
                    self.refuse(kind, s.span, "exit data", right);
                }
            }
        }
        let finalize = clauses::has(d, |c| matches!(c, ClauseKind::Finalize));
        let flags = DYNAMIC | if finalize { FINALIZE } else { 0 };
        let maps = format!("__terrace_m{}", self.number());
        let (code, _) = self.fill(&maps, &vars, flags);
        let call = if enter {
            "terrace_data_enter"
        } else {
            "terrace_data_exit"
        };
        let end = format!(
            "{call}({maps}, {}, {}, {});",
            code.len(),
            clauses::queue(d),
            self.place(d.span)
        );
        self.on_device(d, &maps, code, &end);
    }

    /// The statement of a directive with maps: what it does if there is a device and
    /// its condition holds.
    fn on_device(&mut self, d: &Directive, maps: &str, code: Vec<String>, end: &str) {
        let waits = clauses::waits(d);
        if code.is_empty() {
            self.instead_of(d, &format!("{{ {waits}}}"));
            return;
        }
        let cond = match clauses::condition(d) {
            Some(cond) => format!("terrace_on_device() && {cond}"),
            None => "terrace_on_device()".to_string(),
        };
        let text = format!(
            "{{ {waits}if ({cond}) {{ struct __terrace_map {maps}[{}]; {} {end} }} }}",
            code.len(),
            code.join(" ")
        );
        self.instead_of(d, &text);
    }

    fn update(&mut self, d: &Directive) {
        let if_present = clauses::has(d, |c| matches!(c, ClauseKind::IfPresent));
        let queue = clauses::queue(d);
        let n = self.number();
        let maps = format!("__terrace_m{n}");
        let place = self.place(d.span);
        let mut whole = Vec::new();
        let mut rows = Vec::new();
        for (kind, s) in d.data() {
            if !matches!(kind, DataKind::UpdateHost | DataKind::UpdateDevice) {
                self.refuse(kind, s.span, "update", "it takes self and device");
                continue;
            }
            let Some(memory) = self.memory(s, kind) else {
                continue;
            };
            if memory.rows.is_some() {
                rows.push((kind, s, memory));
            } else {
                let name = s.base.text.trim();
                let map = format!("{maps}[{}]", whole.len());
                whole.push(set(&map, &memory, kind, 0, name));
                for (part, kind, flags) in behind(&memory, kind, 0) {
                    let map = format!("{maps}[{}]", whole.len());
                    whole.push(set(&map, &part, kind, flags, name));
                }
            }
        }
        let args = format!("{queue}, {}, {place}", u8::from(if_present));
        let mut end = match whole.len() {
            0 => String::new(),
            count => format!("terrace_update({maps}, {count}, {args});"),
        };
        let call = format!("terrace_update({maps}, 1, {args});");
        for (kind, s, memory) in &rows {
            end.push_str(&row_by_row(n, *kind, s, memory, &call));
        }
        if whole.is_empty() && !rows.is_empty() {
            // The rows go through one map.
            whole.push(String::new());
        }
        self.on_device(d, &maps, whole, &end);
    }
}

/// Loops over the rows of a section with gaps, which an update must leave alone.
fn row_by_row(n: usize, kind: DataKind, s: &Section, memory: &Memory, call: &str) -> String {
    let Some(rows) = &memory.rows else {
        return String::new();
    };
    let count = rows.loops.len();
    let mut first = memory.first.clone();
    let mut head = format!(" {{ long __terrace_i{n}[{count}];");
    for (i, (times, each)) in rows.loops.iter().enumerate() {
        let index = format!("__terrace_i{n}[{i}]");
        head.push_str(&format!(" for ({index} = 0; {index} < {times}; {index}++)"));
        first.push_str(&format!(" + {index} * {each}"));
    }
    let row = Memory::contiguous(memory.base.clone(), first, rows.bytes.clone());
    let map = format!("__terrace_m{n}[0]");
    let fill = set(&map, &row, kind, 0, s.base.text.trim());
    format!("{head} {{ {fill} {call} }} }}")
}
