//! OpenACC's interface for tools (3.3, chapter 5): what `include/acc_prof.h` declares.
//!
//! Events are those of a device: where regions stay on the host, nothing is started, copied or
//! launched. Callbacks run on the thread that the event is of, in the middle of it, so that they
//! must not use OpenACC themselves.

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Mutex, Once};

use super::device::NVIDIA;
use crate::program::abi::SourcePlace;
use crate::program::{current, lock};

/// Values of `acc_event_t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Event {
    DeviceInitStart = 1,
    DeviceInitEnd,
    DeviceShutdownStart,
    DeviceShutdownEnd,
    RuntimeShutdown,
    Create,
    Delete,
    Alloc,
    Free,
    EnterDataStart,
    EnterDataEnd,
    ExitDataStart,
    ExitDataEnd,
    UpdateStart,
    UpdateEnd,
    ComputeConstructStart,
    ComputeConstructEnd,
    EnqueueLaunchStart,
    EnqueueLaunchEnd,
    EnqueueUploadStart,
    EnqueueUploadEnd,
    EnqueueDownloadStart,
    EnqueueDownloadEnd,
    WaitStart,
    WaitEnd,
}

/// The number behind the last event.
const LAST: c_int = Event::WaitEnd as c_int + 1;

/// Values of `acc_construct_t`, as far as they are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Construct {
    Parallel = 0,
    EnterData = 4,
    ExitData = 5,
    Update = 12,
    Wait = 14,
    RuntimeApi = 15,
}

/// `acc_prof_info`.
#[repr(C)]
pub struct Info {
    event: c_int,
    valid_bytes: c_int,
    version: c_int,
    device_type: c_int,
    device_number: c_int,
    thread_id: c_int,
    queue: isize,
    async_queue: isize,
    src_file: *const c_char,
    func_name: *const c_char,
    line_no: c_int,
    end_line_no: c_int,
    func_line_no: c_int,
    func_end_line_no: c_int,
}

/// `acc_event_info`: what all events have, and then what data and launches have.
#[repr(C)]
pub struct EventInfo {
    event: c_int,
    valid_bytes: c_int,
    parent_construct: c_int,
    implicit: c_int,
    tool_info: *mut c_void,
    name: *const c_char,
    numbers: [usize; 3],
}

/// `acc_api_info`.
#[repr(C)]
pub struct ApiInfo {
    device_api: c_int,
    valid_bytes: c_int,
    device_type: c_int,
    vendor: c_int,
    handles: [*const c_void; 3],
}

/// `acc_prof_callback`.
pub type Callback = unsafe extern "C" fn(*mut Info, *mut EventInfo, *mut ApiInfo);
/// A function that the program finds by its name.
pub type Query = unsafe extern "C" fn();

/// What was registered.
#[derive(Clone, Copy)]
struct Registered {
    event: c_int,
    callback: Callback,
    count: u32,
    on: bool,
}

static REGISTERED: Mutex<Vec<Registered>> = Mutex::new(Vec::new());
/// Whether there is any, so that an event that nobody waits for costs nothing.
static ANY: AtomicBool = AtomicBool::new(false);
static THREADS: AtomicI32 = AtomicI32::new(0);

thread_local! {
    static THREAD: i32 = THREADS.fetch_add(1, Ordering::Relaxed);
    /// Whether this thread's events are told.
    static HEARD: Cell<bool> = const { Cell::new(true) };
    /// What the tool wants to have again at the end of the copy or launch that goes on.
    static TOOL: Cell<*mut c_void> = const { Cell::new(std::ptr::null_mut()) };
}

/// What an event is about.
#[derive(Debug, Clone, Copy)]
pub enum About<'a> {
    Nothing,
    /// A section of memory: its name, bytes, and addresses on the host and on the device.
    Data(&'a str, u64, u64, u64),
    /// A kernel, with blocks and threads of each.
    Launch(&'a str, u64, u64),
}

/// Whether anybody listens.
pub fn heard() -> bool {
    ANY.load(Ordering::Relaxed) && HEARD.get()
}

/// Tells of an event; gives back what the tool left for its end.
pub fn tell(
    event: Event,
    construct: Construct,
    place: &SourcePlace,
    about: About,
    tool_info: *mut c_void,
) -> *mut c_void {
    if !heard() {
        return tool_info;
    }
    let number = event as c_int;
    let all = lock(&REGISTERED).clone();
    let wanted = all.iter().filter(|r| r.event == number && r.on);
    let callbacks: Vec<Callback> = wanted.map(|r| r.callback).collect();
    if callbacks.is_empty() {
        return tool_info;
    }
    let text = |s: &str| CString::new(s).unwrap_or_default();
    let file = text(&place.file);
    let (name, numbers, fields) = match about {
        About::Nothing => (None, [0; 3], 0),
        About::Data(name, bytes, host, device) => (
            Some(text(name)),
            [bytes, host, device].map(|n| n as usize),
            4,
        ),
        About::Launch(name, blocks, threads) => (
            Some(text(name)),
            [blocks, 1, threads].map(|n| n as usize),
            4,
        ),
    };
    let line = c_int::try_from(place.line).unwrap_or(0);
    let mut info = Info {
        event: number,
        valid_bytes: size_of::<Info>() as c_int,
        version: 202_211,
        device_type: NVIDIA,
        device_number: c_int::try_from(current::number()).unwrap_or(0),
        thread_id: THREAD.with(|t| *t),
        queue: -1,
        async_queue: -1,
        src_file: file.as_ptr(),
        func_name: std::ptr::null(),
        line_no: line,
        end_line_no: line,
        func_line_no: 0,
        func_end_line_no: 0,
    };
    let mut what = EventInfo {
        event: number,
        valid_bytes: (std::mem::offset_of!(EventInfo, name) + 8 * fields) as c_int,
        parent_construct: construct as c_int,
        implicit: 0,
        tool_info,
        name: name.as_ref().map_or(std::ptr::null(), |n| n.as_ptr()),
        numbers,
    };
    let mut api = ApiInfo {
        device_api: 1,
        valid_bytes: size_of::<ApiInfo>() as c_int,
        device_type: NVIDIA,
        vendor: 0,
        handles: [std::ptr::null(); 3],
    };
    for callback in callbacks {
        // SAFETY: the program registered it as such a function; the structures live until it ends.
        unsafe { callback(&mut info, &mut what, &mut api) };
    }
    what.tool_info
}

/// Something that begins and ends: the end is told when this goes.
pub struct Span {
    end: Event,
    construct: Construct,
    place: SourcePlace,
    tool_info: *mut c_void,
}

impl Drop for Span {
    fn drop(&mut self) {
        tell(
            self.end,
            self.construct,
            &self.place,
            About::Nothing,
            self.tool_info,
        );
    }
}

/// Tells that something begins, and gives what tells that it ends.
pub fn span(
    (start, end): (Event, Event),
    construct: Construct,
    place: &SourcePlace,
) -> Option<Span> {
    heard().then(|| Span {
        end,
        construct,
        place: place.clone(),
        tool_info: tell(
            start,
            construct,
            place,
            About::Nothing,
            std::ptr::null_mut(),
        ),
    })
}

/// Tells that a copy or a launch is queued, and that it was.
pub fn queued(event: Event, place: &SourcePlace, about: About) {
    if heard() {
        let after = tell(event, Construct::Parallel, place, about, TOOL.get());
        TOOL.set(after);
    }
}

/// The data directive of this name, and its events.
pub fn of_data(what: &str) -> ((Event, Event), Construct) {
    match what {
        "update" => ((Event::UpdateStart, Event::UpdateEnd), Construct::Update),
        "exit data" => (
            (Event::ExitDataStart, Event::ExitDataEnd),
            Construct::ExitData,
        ),
        _ => (
            (Event::EnterDataStart, Event::EnterDataEnd),
            Construct::EnterData,
        ),
    }
}

// A function of this name in the program is called when the first device is started. It need not
// be there, which a weak symbol allows and Rust does not write.
std::arch::global_asm!(
    ".weak acc_register_library",
    ".pushsection .data.rel.ro.terrace_prof, \"aw\", @progbits",
    ".p2align 3",
    ".hidden __terrace_prof_library",
    ".globl __terrace_prof_library",
    "__terrace_prof_library:",
    ".quad acc_register_library",
    ".popsection",
);

type Register = unsafe extern "C" fn(c_int, Option<Callback>, c_int);
type Lookup = unsafe extern "C" fn(*const c_char) -> Option<Query>;

unsafe extern "C" {
    static __terrace_prof_library: Option<unsafe extern "C" fn(Register, Register, Lookup)>;
}

/// Lets the program's own library register, once.
pub fn begin() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: a word that the linker fills with the function's address, or 0.
        if let Some(library) = unsafe { __terrace_prof_library } {
            // SAFETY: the program has it with this type, as `acc_prof.h` declares it.
            unsafe { library(acc_prof_register, acc_prof_unregister, acc_prof_lookup) };
        }
    });
}

extern "C" fn at_end() {
    let place = SourcePlace::call("exit");
    let nothing = std::ptr::null_mut();
    tell(
        Event::RuntimeShutdown,
        Construct::RuntimeApi,
        &place,
        About::Nothing,
        nothing,
    );
}

unsafe extern "C" {
    safe fn atexit(f: extern "C" fn()) -> c_int;
}

/// Registers a function for an event; with 1 or 2 for `how` it is switched on again, for all
/// threads or this one.
///
/// # Safety
/// The function is one as `acc_prof.h` has it, and lives as long as the program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_prof_register(event: c_int, callback: Option<Callback>, how: c_int) {
    let mut all = lock(&REGISTERED);
    match (callback, how) {
        (Some(callback), 0) if (1..LAST).contains(&event) => {
            let same = |r: &&mut Registered| {
                r.event == event && std::ptr::fn_addr_eq(r.callback, callback)
            };
            match all.iter_mut().find(same) {
                Some(r) => r.count += 1,
                None => all.push(Registered {
                    event,
                    callback,
                    count: 1,
                    on: true,
                }),
            }
            static ONCE: Once = Once::new();
            ONCE.call_once(|| {
                // Without it that event is not told.
                let _ = atexit(at_end);
            });
            ANY.store(true, Ordering::Relaxed);
        }
        (callback, 1) => switch(&mut all, event, callback, true),
        (_, 2) => HEARD.set(true),
        _ => {}
    }
}

/// Undoes [`acc_prof_register`], or switches off.
///
/// # Safety
/// As [`acc_prof_register`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_prof_unregister(event: c_int, callback: Option<Callback>, how: c_int) {
    let mut all = lock(&REGISTERED);
    match (callback, how) {
        (Some(callback), 0) => {
            for r in all.iter_mut() {
                if r.event == event && std::ptr::fn_addr_eq(r.callback, callback) {
                    r.count -= 1;
                }
            }
            all.retain(|r| r.count > 0);
            ANY.store(!all.is_empty(), Ordering::Relaxed);
        }
        (callback, 1) => switch(&mut all, event, callback, false),
        (_, 2) => HEARD.set(false),
        _ => {}
    }
}

/// Switches one function, those of an event, or, of the event 0, all of them.
fn switch(all: &mut [Registered], event: c_int, callback: Option<Callback>, on: bool) {
    for r in all {
        let same = callback.is_none_or(|c| std::ptr::fn_addr_eq(r.callback, c));
        if same && (event == 0 || r.event == event) {
            r.on = on;
        }
    }
}

/// The function of this name in this interface; null if there is none.
///
/// # Safety
/// `name` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_prof_lookup(name: *const c_char) -> Option<Query> {
    if name.is_null() {
        return None;
    }
    // SAFETY: by the contract.
    let address = match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"acc_prof_register" => acc_prof_register as *const c_void,
        b"acc_prof_unregister" => acc_prof_unregister as *const c_void,
        b"acc_prof_lookup" => acc_prof_lookup as *const c_void,
        _ => return None,
    };
    // SAFETY: a function's address; who calls it gives it its own type again.
    Some(unsafe { std::mem::transmute::<*const c_void, Query>(address) })
}
