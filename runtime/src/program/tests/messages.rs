//! Every message of the runtime, in full.

use super::super::abi::Entry;
use super::super::queue::SYNC;
use super::super::report::{copy_line, launch_line};
use super::region::with_region;
use super::*;
use crate::device::{LaunchConfig, StreamId};
use crate::profile::Direction;

const HERE: u32 = 7;

/// What entering a clause says.
fn entered(r: &Runtime, array: &[f64], kind: Kind, name: &'static CStr) -> String {
    let mut maps = [map(array, kind, 0, name)];
    r.enter(&mut maps, SYNC, &place(HERE)).unwrap_err()
}

#[test]
fn clauses_where_they_mean_nothing() {
    let r = runtime(1 << 20);
    let a = vec![1.0; 4];
    for (kind, name) in [
        (Kind::Delete, "delete"),
        (Kind::Detach, "detach"),
        (Kind::UpdateHost, "update host"),
        (Kind::UpdateDevice, "update device"),
    ] {
        let said = entered(r, &a, kind, c"a");
        assert_eq!(said, format!("t.c:7: error: `{name}` cannot enter data"));
    }
    let update = [map(&a, Kind::UpdateHost, 0, c"a")];
    assert_eq!(
        r.exit(&update, SYNC, &place(HERE)).unwrap_err(),
        "t.c:7: error: `update host` cannot exit data"
    );
    let copy = [map(&a, Kind::Copy, 0, c"a")];
    assert_eq!(
        r.update(&copy, SYNC, false, &place(HERE)).unwrap_err(),
        "t.c:7: error: `copy` is no update"
    );
    let mut none = copy;
    none[0].kind = 99;
    assert_eq!(
        r.enter(&mut none, SYNC, &place(HERE)).unwrap_err(),
        "t.c:7: error: found 99 as the kind of a data clause"
    );
}

#[test]
fn data_that_is_not_there() {
    let r = runtime(1 << 20);
    let a = vec![1.0; 4];
    let at = a.as_ptr() as u64;
    assert_eq!(
        entered(r, &a, Kind::Present, c"a"),
        format!(
            "t.c:7: error: `a` (32 bytes at {at:#x}) is not on the device, but must be: a data \
             directive that copies or creates it has to come before"
        )
    );
    let update = [map(&a, Kind::UpdateHost, 0, c"a")];
    assert_eq!(
        r.update(&update, SYNC, false, &place(HERE)).unwrap_err(),
        format!(
            "t.c:7: error: update host(a): 32 bytes at {at:#x} are not on the device; \
             `if_present` would leave them alone"
        )
    );
    r.enter(&mut [map(&a[1..3], Kind::Copy, 0, c"b")], SYNC, &place(3))
        .unwrap();
    let (low, high, end) = (at + 8, at + 24, at + 32);
    assert_eq!(
        entered(r, &a, Kind::Copy, c"a"),
        format!(
            "t.c:7: error: copy(a): its 32 bytes at {at:#x}..{end:#x} are on the device only in \
             part:\n  `b`, 16 bytes at {low:#x}..{high:#x}, is since t.c:3\n  use the same \
             section there and here, or one that contains this one"
        )
    );
}

#[test]
fn memory_of_the_program() {
    let r = runtime(1 << 20);
    assert_eq!(
        r.free(0x1234).unwrap_err(),
        "terrace: acc_free: 0x1234 is not the start of memory from acc_malloc"
    );
    let a = [1.0f64; 4];
    let at = a.as_ptr() as u64;
    assert_eq!(
        r.map(at, 4096, 0).unwrap_err(),
        format!(
            "terrace: acc_map_data: found 0 bytes at {at:#x} for 0x1000 on the device, expected two \
             addresses that are not null, and at least one byte"
        )
    );
    r.enter(&mut [map(&a, Kind::CopyIn, 0, c"a")], SYNC, &place(3))
        .unwrap();
    assert_eq!(
        r.map(at, 4096, 8).unwrap_err(),
        format!(
            "terrace: acc_map_data: 8 bytes at {at:#x}: expected some bytes of which none is on \
             the device"
        )
    );
    assert_eq!(
        r.unmap(at).unwrap_err(),
        format!("terrace: acc_unmap_data: nothing that acc_map_data mapped begins at {at:#x}")
    );
}

/// What is left of a device that stops working names what was done, and where.
#[test]
fn a_device_that_breaks_down() {
    let fake = Arc::new(Fake::new(1 << 20));
    let report = Report::new(&Settings::default());
    let r: &'static Runtime = Box::leak(Box::new(Runtime::new(fake.clone(), 0, report)));
    let (a, b) = (vec![1.0; 4], vec![2.0; 4]);
    r.enter(&mut [map(&a, Kind::CopyIn, 0, c"a")], 3, &place(2))
        .unwrap();
    let zeros = super::super::abi::ZERO;
    r.enter(&mut [map(&b, Kind::Create, zeros, c"b")], 4, &place(5))
        .unwrap();
    with_region("increment", c"increment", |region| {
        // SAFETY: it takes no arguments.
        unsafe { r.run(region, does_nothing, std::ptr::null_mut(), 5) }.unwrap();
    });
    fake.break_down();
    for (queue, last) in [
        (5, "not known"),
        (3, "the copy of `a` at t.c:2"),
        (4, "the zeros of `b` at t.c:5"),
    ] {
        assert_eq!(
            r.wait(queue).unwrap_err(),
            format!(
                "terrace: error: could not wait: the device is broken\n  what was queued last: \
                 {last}"
            )
        );
    }
    let broken = |what: &str| format!("terrace: error: could not {what}: the device is broken");
    assert_eq!(r.wait_on(3, 4).unwrap_err(), broken("record an event"));
    assert_eq!(r.is_done(3).unwrap_err(), broken("ask"));
    let c = vec![1.0; 4];
    assert_eq!(
        entered(r, &c, Kind::CopyIn, c"c"),
        "t.c:7: error: `c`: could not copy in: the device is broken"
    );
}

#[test]
fn queues_that_are_none() {
    let r = runtime(1 << 20);
    let a = vec![1.0; 4];
    let mut maps = [map(&a, Kind::CopyIn, 0, c"a")];
    assert_eq!(
        r.enter(&mut maps, -9, &place(HERE)).unwrap_err(),
        "t.c:7: error: found async(-9), expected a queue from 0, acc_async_sync, \
         acc_async_noval or acc_async_default"
    );
}

unsafe extern "C" fn too_few(_: *mut u64) -> i32 {
    let d = [1u64; 3];
    // SAFETY: one argument, of which the kernel takes two.
    match unsafe {
        super::super::region::terrace_gpu_launch(0, d.as_ptr(), d.as_ptr(), 0, d.as_ptr(), 1, 1)
    } {
        0 => 0,
        _ => 2,
    }
}

unsafe extern "C" fn threes(_: *mut u64) -> i32 {
    super::super::region::terrace_gpu_memset(0, 0, 3, 1, 0) + 1
}

unsafe extern "C" fn takes_too_much(_: *mut u64) -> i32 {
    match super::super::region::terrace_gpu_alloc(2 << 20, 0) {
        0 => 1,
        _ => 0,
    }
}

unsafe extern "C" fn fails(_: *mut u64) -> i32 {
    1
}

unsafe extern "C" fn does_nothing(_: *mut u64) -> i32 {
    0
}

#[test]
fn regions_that_fail() {
    let run = |ptx: &str, entry: Entry, queue: i64| {
        with_region(ptx, c"increment", |region| {
            let mut words = [0, 1, 0];
            // SAFETY: these are its arguments.
            unsafe { runtime(1 << 20).run(region, entry, words.as_mut_ptr(), queue) }
        })
        .unwrap_err()
    };
    assert_eq!(
        run("increment", too_few, SYNC),
        "t.c:21:9: error: kernel increment takes 2 parameters, but the launch passes 1"
    );
    assert_eq!(
        run("increment", threes, SYNC),
        "t.c:21:9: error: elements of a memset must have 1, 2, 4 or 8 bytes"
    );
    assert_eq!(
        run("increment", takes_too_much, SYNC),
        "t.c:20:3: error: no place for memory of the region (2097152 bytes): out of device \
         memory: 2097152 bytes requested, 1048576 of 1048576 free\n  this program holds 0 bytes \
         there, in 0 blocks, and keeps 0 for reuse"
    );
    assert_eq!(
        run("increment", fails, SYNC),
        "t.c:20:3: error: a check failed while this ran: a division by zero, an index out of \
         bounds, memory that could not be had, or an assertion"
    );
    assert!(run("increment", does_nothing, -9).starts_with("t.c:19:1: error: found async(-9)"));
}

#[test]
fn device_code_that_is_no_text() {
    // Nothing but the first byte is looked at before it is refused.
    let ptx = String::from("x");
    with_region(&ptx, c"increment", |region| {
        let bytes = [0xffu8, 0];
        // SAFETY: the image is the closure's own.
        let mut image = unsafe { std::ptr::read(region.image) };
        image.ptx = bytes.as_ptr().cast();
        image.ptx_bytes = 2;
        let region = super::super::abi::Region {
            image: &raw mut image,
            ..*region
        };
        let mut words = [0, 1, 0];
        // SAFETY: these are its arguments.
        let result =
            unsafe { runtime(1 << 20).run(&region, does_nothing, words.as_mut_ptr(), SYNC) };
        assert!(
            result
                .unwrap_err()
                .starts_with("t.c:19:1: error: the device code: invalid utf-8")
        );
    });
}

#[test]
fn indices_that_are_not_described() {
    with_region("increment", c"increment", |region| {
        // Three words that `Indices::from_words` does not know.
        let indices = [i64::MAX, i64::MAX, i64::MAX];
        // SAFETY: the image is the closure's own, and has one kernel.
        let (mut image, mut kernel) = unsafe {
            let image = std::ptr::read(region.image);
            let kernel = std::ptr::read(image.kernels);
            (image, kernel)
        };
        (kernel.indices, kernel.num_indices) = (indices.as_ptr(), 3);
        image.kernels = &raw const kernel;
        let region = super::super::abi::Region {
            image: &raw mut image,
            ..*region
        };
        let mut words = [0, 1, 0];
        // SAFETY: these are its arguments.
        let result =
            unsafe { runtime(1 << 20).run(&region, does_nothing, words.as_mut_ptr(), SYNC) };
        let said = result.unwrap_err();
        assert!(
            said.contains("found a description of indices that terrace did not write"),
            "{said}"
        );
    });
}

#[test]
fn another_version() {
    with_region("", c"", |region| {
        let region = super::super::abi::Region {
            abi: 9999,
            ..*region
        };
        // SAFETY: the region is one.
        let said = unsafe { super::super::region::check(&region) }.unwrap_err();
        let own = super::super::abi::ABI;
        assert_eq!(
            said,
            format!(
                "terrace: a region was compiled for version 9999 of the runtime's interface, \
                 this is {own}: compile all files again"
            )
        );
    });
}

#[test]
fn a_line_for_each_launch_and_copy() {
    let config = LaunchConfig {
        grid: [3, 1, 1],
        block: [256, 1, 1],
        shared_bytes: 0,
        stream: StreamId::MAIN,
    };
    assert_eq!(
        launch_line(&place(4), "f.region0", "k", &config),
        "terrace: launch t.c:4: f.region0, kernel k, grid 3x1x1, block 256x1x1"
    );
    assert_eq!(
        copy_line(&place(4), "a", 80, Direction::HostToDevice),
        "terrace: copy t.c:4: `a`, 80 bytes, host to device"
    );
}
