//! The clauses that say when something happens: `if`, `self`, `async`, `wait`.

use terrace_c::directive::{Arg, Clause, ClauseKind, DataKind, Directive, Section};
use terrace_c::types::Type;

/// The condition under which a directive does something, as C; `None` for always.
pub fn condition(d: &Directive) -> Option<String> {
    d.clauses.iter().find_map(|c| match &c.kind {
        ClauseKind::If(cond) => Some(format!("({})", cond.text.trim())),
        _ => None,
    })
}

/// When a compute construct stays on the host because it says so itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OnHost {
    Never,
    Always,
    If(String),
}

/// The `self` clause of a compute construct.
pub fn on_host(d: &Directive) -> OnHost {
    let clause = d.clauses.iter().find_map(|c| match &c.kind {
        ClauseKind::SelfCondition(cond) => Some(cond),
        _ => None,
    });
    match clause {
        None => OnHost::Never,
        Some(None) => OnHost::Always,
        Some(Some(cond)) => OnHost::If(format!("({})", cond.text.trim())),
    }
}

/// The queue of a directive: -1 waits until it is done.
pub fn queue(d: &Directive) -> String {
    let clause = d.clauses.iter().find_map(|c| match &c.kind {
        ClauseKind::Async(queue) => Some(queue),
        _ => None,
    });
    match clause {
        None => "-1".to_string(),
        Some(None) => "-2".to_string(),
        Some(Some(queue)) => format!("(long)({})", queue.text.trim()),
    }
}

/// Whether something may still run behind the directive.
pub fn is_async(d: &Directive) -> bool {
    let is = |c: &Clause| matches!(c.kind, ClauseKind::Async(_));
    d.clauses.iter().any(is)
}

/// Statements that wait for queues, for all if none is named: the program waits, or the
/// queue `by`.
pub fn wait_for(queues: &[Arg], by: Option<&str>) -> String {
    if queues.is_empty() {
        return match by {
            Some(by) => format!("terrace_wait_all_on({by});"),
            None => "terrace_wait_all();".to_string(),
        };
    }
    let each = queues.iter().map(|q| {
        let q = q.text.trim();
        match by {
            Some(by) => format!("terrace_wait_on((long)({q}), {by});"),
            None => format!("terrace_wait((long)({q}));"),
        }
    });
    each.collect::<Vec<_>>().join(" ")
}

/// The `wait` clauses of a directive as statements. With a queue of its own nothing but
/// the queue waits.
pub fn waits(d: &Directive) -> String {
    let queue = is_async(d).then(|| queue(d));
    let each = d.clauses.iter().filter_map(|c| match &c.kind {
        ClauseKind::Wait(queues) => Some(format!("{} ", wait_for(queues, queue.as_deref()))),
        _ => None,
    });
    each.collect()
}

/// As [`waits`], for what the program does itself.
pub fn host_waits(d: &Directive) -> String {
    let each = d.clauses.iter().filter_map(|c| match &c.kind {
        ClauseKind::Wait(queues) => Some(wait_for(queues, None)),
        _ => None,
    });
    each.collect::<Vec<_>>().join(" ")
}

/// The arrays, and parts of what pointers point to, of which the construct has a copy of
/// its own that begins with their values.
pub fn private_copies(d: &Directive) -> impl Iterator<Item = (DataKind, &Section)> {
    let lists = d.clauses.iter().filter_map(|c| match &c.kind {
        ClauseKind::Firstprivate(vars) => Some(vars),
        _ => None,
    });
    let memory = |s: &&Section| {
        let ty = super::section::object(s).map(|e| &e.ty);
        !s.dims.is_empty() || matches!(ty, Some(Type::Array(_)))
    };
    lists
        .flatten()
        .filter(memory)
        .map(|s| (DataKind::Firstprivate, s))
}

/// Whether a clause is there.
pub fn has(d: &Directive, is: impl Fn(&ClauseKind) -> bool) -> bool {
    d.clauses.iter().any(|c| is(&c.kind))
}

/// The clause as OpenACC writes it.
pub fn name(kind: DataKind) -> &'static str {
    match kind {
        DataKind::Copy => "copy",
        DataKind::Copyin => "copyin",
        DataKind::Copyout => "copyout",
        DataKind::Create => "create",
        DataKind::Present => "present",
        DataKind::NoCreate => "no_create",
        DataKind::Delete => "delete",
        DataKind::Detach => "detach",
        DataKind::Attach => "attach",
        DataKind::Deviceptr => "deviceptr",
        DataKind::DeviceResident => "device_resident",
        DataKind::Link => "link",
        DataKind::UpdateHost => "self",
        DataKind::UpdateDevice => "device",
        DataKind::Firstprivate => "firstprivate",
    }
}

/// The enumerator of the runtime for a clause.
pub fn code(kind: DataKind) -> &'static str {
    match kind {
        DataKind::Copy => "__terrace_copy",
        DataKind::Copyin => "__terrace_copyin",
        DataKind::Copyout => "__terrace_copyout",
        DataKind::Create | DataKind::DeviceResident | DataKind::Link => "__terrace_create",
        DataKind::Present => "__terrace_present",
        DataKind::NoCreate => "__terrace_no_create",
        DataKind::Delete => "__terrace_delete",
        DataKind::Detach => "__terrace_detach",
        DataKind::Attach => "__terrace_attach",
        DataKind::Deviceptr => "__terrace_deviceptr",
        DataKind::UpdateHost => "__terrace_update_host",
        DataKind::UpdateDevice => "__terrace_update_device",
        DataKind::Firstprivate => "__terrace_firstprivate",
    }
}
