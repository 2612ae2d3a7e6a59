//! Data regions of host code: the table of the arrays that are present on the device,
//! with the counters of OpenACC 3.3, 2.6.7.
//!
//! Each session has a table of its own. A call is about one array; `how` holds the
//! clause and its flags ([`flags`]).

use super::copies::copy;
use super::memory::{alloc, free};
use super::{FAILED, OK, Session, with};
use crate::dialects::xfer::Clause;
use crate::runtime::program::abi::SourcePlace;
use crate::runtime::program::present::{Entry, Presence};
use crate::targets::native::data as flags;

/// The functions for the JIT's symbol table.
pub fn imports() -> Vec<(&'static str, *const u8)> {
    vec![
        ("terrace_gpu_enter", enter as *const u8),
        ("terrace_gpu_exit", exit as *const u8),
        ("terrace_gpu_update", update as *const u8),
        ("terrace_gpu_present", present as *const u8),
        ("terrace_gpu_is_present", is_present as *const u8),
    ]
}

/// What a call asks for.
#[derive(Clone, Copy)]
struct Wanted {
    host: u64,
    bytes: u64,
    how: u32,
    name: u32,
}

impl Wanted {
    fn clause(self) -> Option<Clause> {
        Clause::ALL.get((self.how & 0xff) as usize).copied()
    }

    fn has(self, flag: u32) -> bool {
        self.how & flag != 0
    }

    fn name(self, s: &Session) -> String {
        let name = s.arrays.get(self.name as usize);
        name.map_or_else(|| "an array".to_string(), |n| n.clone())
    }

    /// Where the array is in the table: the start of its entry. `None` where it is absent.
    fn find(self, s: &Session) -> Result<Option<u64>, String> {
        match s.table.find(self.host, self.bytes) {
            Presence::Inside(at) => Ok(Some(at)),
            Presence::Absent => Ok(None),
            Presence::Partly(parts) => Err(self.partly(s, &parts)),
        }
    }

    fn partly(self, s: &Session, parts: &[u64]) -> String {
        let end = self.host.saturating_add(self.bytes);
        let mut text = format!(
            "{}({}): of its {} bytes at {:#x}..{end:#x} only a part is on the device:",
            self.clause().map_or("", Clause::word),
            self.name(s),
            self.bytes,
            self.host,
        );
        for e in parts.iter().filter_map(|at| s.table.get(*at)) {
            let (name, bytes, from, to) = (&e.name, e.bytes, e.start, e.end());
            text.push_str(&format!(" {name}, {bytes} bytes at {from:#x}..{to:#x};"));
        }
        text.push_str(" use the same section there and here, or one that contains this one");
        text
    }

    fn absent(self, s: &Session) -> String {
        format!(
            "{} is not on the device, but must be; 'xfer.enter_data', or an 'xfer.data' with copy, copyin, copyout or create around this, brings it there",
            self.name(s)
        )
    }
}

/// Counts an array up; one that is absent comes to the device first.
extern "C" fn enter(host: u64, bytes: u64, how: u32, name: u32, op: u32) -> i32 {
    let w = Wanted {
        host,
        bytes,
        how,
        name,
    };
    // What is needed: nothing more, or memory.
    let missing = with(op, None, |s| {
        let clause = w.clause().ok_or("a clause that does not exist")?;
        if bytes == 0 || clause == Clause::DevicePtr {
            return Ok(Some(false));
        }
        match w.find(s)? {
            Some(at) => count_up(s, at, w),
            None if clause == Clause::NoCreate => {}
            None if clause.makes() => return Ok(Some(true)),
            None => return Err(w.absent(s)),
        }
        Ok(Some(false))
    });
    match missing {
        None => return FAILED,
        Some(false) => return OK,
        Some(true) => {}
    }
    let device = alloc(bytes, op);
    if device == 0 {
        return FAILED;
    }
    if w.clause().is_some_and(Clause::copies_in) && copy(device, host, bytes, 0, op) != OK {
        return FAILED;
    }
    with(op, FAILED, |s| {
        let name = w.name(s);
        s.table.insert(Entry {
            start: host,
            bytes,
            device,
            block: device,
            structured: 0,
            dynamic: 0,
            owned: true,
            users: Vec::new(),
            name,
            place: SourcePlace::default(),
        });
        count_up(s, host, w);
        Ok(OK)
    })
}

fn count_up(s: &mut Session, at: u64, w: Wanted) {
    if let Some(e) = s.table.get_mut(at) {
        match w.has(flags::STRUCTURED) {
            true => e.structured += 1,
            false => e.dynamic += 1,
        }
    }
}

/// Counts an array down; what nobody holds any more is copied out where the clause says
/// so, and leaves the device.
extern "C" fn exit(host: u64, bytes: u64, how: u32, name: u32, op: u32) -> i32 {
    let w = Wanted {
        host,
        bytes,
        how,
        name,
    };
    // Of an array that nobody holds any more, where it is, and its entry.
    let unused = with(op, None, |s| {
        if bytes == 0 || w.clause() == Some(Clause::DevicePtr) {
            return Ok(Some(None));
        }
        let Some(at) = w.find(s)? else {
            return Ok(Some(None));
        };
        let Some(e) = s.table.get_mut(at) else {
            return Ok(Some(None));
        };
        let held = match w.has(flags::STRUCTURED) {
            true => &mut e.structured,
            false => &mut e.dynamic,
        };
        if *held == 0 {
            return Ok(Some(None));
        }
        *held = match w.has(flags::FINALIZE) {
            true => 0,
            false => *held - 1,
        };
        let (unused, part) = (e.is_unused(), e.translate(host));
        Ok(Some(unused.then_some((part, at))))
    });
    let (part, at) = match unused {
        None => return FAILED,
        Some(None) => return OK,
        Some(Some(found)) => found,
    };
    if w.clause().is_some_and(Clause::copies_out) && copy(host, part, bytes, 1, op) != OK {
        return FAILED;
    }
    let device = with(op, None, |s| Ok(s.table.remove(at).map(|e| e.device)));
    device.map_or(FAILED, |d| free(d, op))
}

/// Copies an array that is present to the host or to the device.
extern "C" fn update(host: u64, bytes: u64, how: u32, name: u32, op: u32) -> i32 {
    let w = Wanted {
        host,
        bytes,
        how,
        name,
    };
    let found = with(op, None, |s| {
        if bytes == 0 {
            return Ok(Some(None));
        }
        match w.find(s)? {
            Some(at) => Ok(Some(s.table.get(at).map(|e| e.translate(host)))),
            None if w.has(flags::IF_PRESENT) => Ok(Some(None)),
            None => Err(format!(
                "{}({}): it is not on the device; `if_present` would leave it alone",
                w.clause().map_or("", Clause::word),
                w.name(s)
            )),
        }
    });
    match (found, w.clause()) {
        (None, _) => FAILED,
        (Some(None), _) => OK,
        (Some(Some(device)), Some(Clause::UpdateHost)) => copy(host, device, bytes, 1, op),
        (Some(Some(device)), _) => copy(device, host, bytes, 0, op),
    }
}

/// Where an array is on the device; 0 after an error.
extern "C" fn present(host: u64, bytes: u64, how: u32, name: u32, op: u32) -> u64 {
    let w = Wanted {
        host,
        bytes,
        how,
        name,
    };
    with(op, 0, |s| {
        if bytes == 0 {
            // No element of it is used.
            return Ok(host.max(1));
        }
        let at = w.find(s)?.and_then(|at| s.table.get(at));
        match at.map(|e| e.translate(host)) {
            Some(device) => Ok(device),
            None if w.has(flags::IF_PRESENT) => Ok(host),
            None => Err(w.absent(s)),
        }
    })
}

extern "C" fn is_present(host: u64, bytes: u64, _name: u32, op: u32) -> i32 {
    with(op, 0, |s| {
        let inside = matches!(s.table.find(host, bytes), Presence::Inside(_));
        Ok(i32::from(bytes == 0 || inside))
    })
}
