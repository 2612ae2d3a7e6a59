use super::super::abi::{DYNAMIC, FINALIZE, IMPLICIT, Kind, Map, WRITTEN, ZERO};
use super::super::queue::SYNC;
use super::*;

fn allocations(r: &Runtime) -> usize {
    r.state().table.entries().count()
}

#[test]
fn copy_brings_values_and_takes_them_back() {
    let r = runtime(1 << 20);
    let a = vec![1.0, 2.0, 3.0];
    let b = vec![0.0; 2];
    let mut maps = [
        map(&a, Kind::Copy, WRITTEN, c"a"),
        map(&b, Kind::CopyOut, WRITTEN, c"b"),
    ];
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    assert_eq!(peek(maps[0].device, 3), a);
    assert_ne!(maps[0].device, maps[0].host);
    poke(maps[0].device, &[4.0, 5.0, 6.0]);
    poke(maps[1].device, &[7.0, 8.0]);
    assert_eq!(a, [1.0, 2.0, 3.0]);
    r.exit(&maps, SYNC, &place(2)).unwrap();
    assert_eq!(std::hint::black_box(&a)[..], [4.0, 5.0, 6.0]);
    assert_eq!(std::hint::black_box(&b)[..], [7.0, 8.0]);
    assert_eq!(allocations(r), 0);
    let text = r.report.finish(Some(&*r.device));
    for part in ["host to device", "t.c:1", "t.c:2", "2.50 us"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn copyin_does_not_come_back() {
    let r = runtime(1 << 20);
    let a = vec![1.0; 4];
    let mut maps = [map(&a, Kind::CopyIn, 0, c"a")];
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    poke(maps[0].device, &[9.0; 4]);
    r.exit(&maps, SYNC, &place(2)).unwrap();
    assert_eq!(std::hint::black_box(&a)[..], [1.0; 4]);
}

#[test]
fn new_data_begins_as_zeros_where_asked_for() {
    let r = runtime(1 << 20);
    let (a, b) = (vec![1.0; 4], vec![1.0; 3]);
    let mut maps = [
        map(&a, Kind::CopyOut, ZERO | WRITTEN, c"a"),
        map(&b, Kind::Create, ZERO | WRITTEN, c"b"),
    ];
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    assert_eq!(peek(maps[0].device, 4), [0.0; 4]);
    assert_eq!(peek(maps[1].device, 3), [0.0; 3]);
    // What is there keeps its values.
    poke(maps[0].device, &[2.0; 4]);
    let mut inner = [map(&a, Kind::CopyOut, ZERO | WRITTEN, c"a")];
    r.enter(&mut inner, SYNC, &place(2)).unwrap();
    assert_eq!(peek(inner[0].device, 4), [2.0; 4]);
    r.exit(&inner, SYNC, &place(3)).unwrap();
    r.exit(&maps, SYNC, &place(4)).unwrap();
    assert_eq!(std::hint::black_box(&a)[..], [2.0; 4]);
    assert_eq!(std::hint::black_box(&b)[..], [1.0; 3]);
}

#[test]
fn several_clauses_of_one_directive_add_up() {
    let r = runtime(1 << 20);
    let a = vec![1.0; 4];
    for clauses in [
        [(Kind::CopyOut, 0, 1.0), (Kind::Copy, 0, 1.0)],
        [(Kind::Create, ZERO, 0.0), (Kind::CopyOut, 0, 0.0)],
        [(Kind::Create, ZERO, 1.0), (Kind::Copy, 0, 1.0)],
    ] {
        let mut maps = clauses.map(|(kind, flags, _)| map(&a, kind, flags | WRITTEN, c"a"));
        r.enter(&mut maps, SYNC, &place(1)).unwrap();
        assert_eq!(maps[0].device, maps[1].device);
        assert_eq!(peek(maps[0].device, 4), [clauses[0].2; 4]);
        poke(maps[0].device, &[5.0; 4]);
        r.exit(&maps, SYNC, &place(2)).unwrap();
        assert_eq!(std::hint::black_box(&a)[..], [5.0; 4]);
        assert_eq!(allocations(r), 0);
        poke(maps[0].host, &[1.0; 4]);
    }
}

#[test]
fn inner_regions_use_what_is_present() {
    let r = runtime(1 << 20);
    let a = vec![1.0; 100];
    let mut outer = [map(&a, Kind::Copy, 0, c"a")];
    r.enter(&mut outer, SYNC, &place(1)).unwrap();
    let mut inner = [map(&a[10..20], Kind::Copy, IMPLICIT | WRITTEN, c"a")];
    r.enter(&mut inner, SYNC, &place(2)).unwrap();
    assert_eq!(inner[0].device as u64, outer[0].device as u64 + 80);
    poke(inner[0].device, &[2.0; 10]);
    r.exit(&inner, SYNC, &place(3)).unwrap();
    // Not yet: the outer one holds it.
    assert_eq!(std::hint::black_box(&a)[10], 1.0);
    r.exit(&outer, SYNC, &place(4)).unwrap();
    assert_eq!(std::hint::black_box(&a)[10], 2.0);
    assert_eq!(allocations(r), 0);
}

#[test]
fn structured_and_dynamic_counts() {
    let r = runtime(1 << 20);
    let a = vec![1.0; 8];
    let one = |kind, flags| [map(&a, kind, flags, c"a")];
    r.enter(&mut one(Kind::CopyIn, DYNAMIC), SYNC, &place(1))
        .unwrap();
    r.enter(&mut one(Kind::CopyIn, DYNAMIC), SYNC, &place(2))
        .unwrap();
    let mut region = one(Kind::Copy, 0);
    r.enter(&mut region, SYNC, &place(3)).unwrap();
    poke(region[0].device, &[5.0; 8]);
    r.exit(&one(Kind::CopyOut, DYNAMIC), SYNC, &place(4))
        .unwrap();
    r.exit(&one(Kind::Delete, DYNAMIC), SYNC, &place(5))
        .unwrap();
    // One more than there were is nothing.
    r.exit(&one(Kind::Delete, DYNAMIC), SYNC, &place(6))
        .unwrap();
    assert_eq!(
        (allocations(r), std::hint::black_box(&a)[0]),
        (1, 1.0),
        "the region still holds it"
    );
    r.exit(&region, SYNC, &place(7)).unwrap();
    assert_eq!((allocations(r), std::hint::black_box(&a)[0]), (0, 5.0));
    // Nothing is there: nothing happens.
    r.exit(&one(Kind::CopyOut, DYNAMIC), SYNC, &place(8))
        .unwrap();
    for _ in 0..3 {
        r.enter(&mut one(Kind::Create, DYNAMIC), SYNC, &place(9))
            .unwrap();
    }
    r.exit(&one(Kind::Delete, DYNAMIC | FINALIZE), SYNC, &place(10))
        .unwrap();
    assert_eq!(allocations(r), 0);
}

#[test]
fn a_part_that_is_present_is_an_error() {
    let r = runtime(1 << 20);
    let a = vec![1.0; 100];
    let mut half = [map(&a[..50], Kind::CopyIn, 0, c"a[0:50]")];
    r.enter(&mut half, SYNC, &place(11)).unwrap();
    let mut all = [map(&a, Kind::Copy, 0, c"a")];
    let error = r.enter(&mut all, SYNC, &place(12)).unwrap_err();
    let start = a.as_ptr() as u64;
    for part in [
        "t.c:12: error: copy(a): its 800 bytes at".to_string(),
        format!("{start:#x}..{:#x}", start + 800),
        format!("`a[0:50]`, 400 bytes at {start:#x}..{:#x}", start + 400),
        "is since t.c:11".to_string(),
    ] {
        assert!(error.contains(&part), "{error}");
    }
    let update = [map(&a, Kind::UpdateHost, 0, c"a")];
    let error = r.update(&update, SYNC, true, &place(13)).unwrap_err();
    assert!(error.contains("t.c:13: error: update host(a)"), "{error}");
    // What the analysis asks for may reach beyond what is used.
    let mut implicit = [map(&a[10..], Kind::Copy, IMPLICIT, c"a")];
    r.enter(&mut implicit, SYNC, &place(14)).unwrap();
    assert_eq!(implicit[0].device as u64, half[0].device as u64 + 80);
    r.exit(&implicit, SYNC, &place(15)).unwrap();
    r.exit(&half, SYNC, &place(16)).unwrap();
    assert_eq!(allocations(r), 0);
}

#[test]
fn present_and_no_create() {
    let r = runtime(1 << 20);
    let a = vec![1.0; 4];
    let mut must = [map(&a, Kind::Present, 0, c"a")];
    let error = r.enter(&mut must, SYNC, &place(1)).unwrap_err();
    assert!(
        error.contains("t.c:1: error: `a` (32 bytes") && error.contains("not on the device"),
        "{error}"
    );
    let mut may = [map(&a, Kind::NoCreate, 0, c"a")];
    r.enter(&mut may, SYNC, &place(2)).unwrap();
    assert_eq!(may[0].device, may[0].host);
    // It came later, and this one does not hold it.
    let mut copy = [map(&a, Kind::Copy, 0, c"a")];
    r.enter(&mut copy, SYNC, &place(3)).unwrap();
    r.exit(&may, SYNC, &place(4)).unwrap();
    assert_eq!(allocations(r), 1);
    r.enter(&mut may, SYNC, &place(5)).unwrap();
    assert_eq!(may[0].device, copy[0].device);
    r.enter(&mut must, SYNC, &place(6)).unwrap();
    r.exit(&copy, SYNC, &place(7)).unwrap();
    r.exit(&must, SYNC, &place(8)).unwrap();
    assert_eq!(allocations(r), 1);
    r.exit(&may, SYNC, &place(9)).unwrap();
    assert_eq!(allocations(r), 0);
    let mut raw = [map(&a, Kind::DevicePtr, 0, c"a")];
    r.enter(&mut raw, SYNC, &place(10)).unwrap();
    assert_eq!((raw[0].device, allocations(r)), (raw[0].host, 0));
    r.exit(&raw, SYNC, &place(11)).unwrap();
}

#[test]
fn nothing_is_no_data() {
    let r = runtime(1 << 20);
    let a = vec![1.0; 4];
    let mut maps = [
        map(&a[..0], Kind::Copy, 0, c"a"),
        map(&a, Kind::Copy, 0, c"b"),
    ];
    maps[1].host = std::ptr::null_mut();
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    assert!(maps[0].device.is_null() && maps[1].device.is_null());
    r.exit(&maps, SYNC, &place(2)).unwrap();
    assert_eq!(allocations(r), 0);
    let mut bad = [map(&a, Kind::Delete, 0, c"a")];
    assert!(r.enter(&mut bad, SYNC, &place(3)).is_err());
    bad[0].kind = 99;
    let error = r.enter(&mut bad, SYNC, &place(4)).unwrap_err();
    assert!(error.contains("found 99"), "{error}");
    assert!(r.exit(&bad, SYNC, &place(5)).is_err());
}

#[test]
fn updates_copy_sections() {
    let r = runtime(1 << 20);
    let mut a = vec![1.0; 10];
    let mut maps = [map(&a, Kind::Create, DYNAMIC, c"a")];
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    a[3] = 7.0;
    let to = [map(&a[2..5], Kind::UpdateDevice, 0, c"a")];
    r.update(&to, SYNC, false, &place(2)).unwrap();
    assert_eq!(peek(maps[0].device, 10)[2..5], [1.0, 7.0, 1.0]);
    poke(maps[0].device, &[8.0; 10]);
    let from = [map(&a[9..], Kind::UpdateHost, 0, c"a")];
    r.update(&from, SYNC, false, &place(3)).unwrap();
    assert_eq!(std::hint::black_box(&a)[8..], [1.0, 8.0]);
    let b = vec![0.0; 1];
    let absent = [map(&b, Kind::UpdateHost, 0, c"b")];
    r.update(&absent, SYNC, true, &place(4)).unwrap();
    let error = r.update(&absent, SYNC, false, &place(5)).unwrap_err();
    assert!(error.contains("t.c:5: error: update host(b)"), "{error}");
    assert!(error.contains("if_present"), "{error}");
}

#[test]
fn names_of_the_same_memory_share_it() {
    let r = runtime(1 << 20);
    let a: Vec<f64> = (0..100).map(f64::from).collect();
    let b = vec![0.0; 3];
    let mut maps = [
        map(&a[40..100], Kind::CopyIn, IMPLICIT, c"p"),
        map(&b, Kind::Copy, IMPLICIT, c"b"),
        map(&a[0..50], Kind::CopyOut, IMPLICIT, c"q"),
        map(&a[0..10], Kind::CopyIn, IMPLICIT, c"r"),
    ];
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    assert_eq!(allocations(r), 2);
    assert_eq!(maps[0].device as u64, maps[2].device as u64 + 320);
    assert_eq!(peek(maps[2].device, 100), a);
    poke(maps[2].device, &[-1.0; 100]);
    r.exit(&maps, SYNC, &place(2)).unwrap();
    assert_eq!(allocations(r), 0);
    let a = std::hint::black_box(a);
    assert_eq!((a[0], a[49], a[50]), (-1.0, -1.0, 50.0));
}

#[test]
fn queues_are_ordered_and_memory_stays_while_used() {
    let r = runtime(1 << 20);
    let a = vec![1.0; 64];
    let b = vec![2.0; 64];
    let mut first = [map(&a, Kind::Copy, 0, c"a")];
    r.enter(&mut first, 1, &place(1)).unwrap();
    assert!(!r.is_done(1).unwrap() && !r.is_all_done().unwrap());
    r.exit(&first, 1, &place(2)).unwrap();
    // The copy back is still to come: its memory is not for another queue.
    let mut second = [map(&b, Kind::Copy, 0, c"b")];
    r.enter(&mut second, 2, &place(3)).unwrap();
    assert_ne!(first[0].device, second[0].device);
    r.exit(&second, 2, &place(4)).unwrap();
    // But for the same queue it is.
    let mut third = [map(&b, Kind::Copy, 0, c"b")];
    r.enter(&mut third, 1, &place(5)).unwrap();
    assert_eq!(first[0].device, third[0].device);
    r.exit(&third, 1, &place(6)).unwrap();
    r.wait(1).unwrap();
    assert!(r.is_done(1).unwrap() && !r.is_done(2).unwrap());
    r.wait_all().unwrap();
    assert!(r.is_all_done().unwrap() && r.is_done(77).unwrap());
    assert_eq!(std::hint::black_box(&a)[..], [1.0; 64]);
    let mut fourth = [map(&b, Kind::Copy, 0, c"b")];
    r.enter(&mut fourth, 9, &place(7)).unwrap();
    assert!(fourth[0].device == first[0].device || fourth[0].device == second[0].device);
    let error = r.enter(&mut fourth, -5, &place(8)).unwrap_err();
    assert!(
        error.starts_with("t.c:8: error: found async(-5)"),
        "{error}"
    );
}

#[test]
fn a_queue_waits_for_another() {
    let r = runtime(1 << 20);
    let a = vec![3.0; 4];
    let mut maps = [map(&a, Kind::CopyIn, DYNAMIC, c"a")];
    r.enter(&mut maps, 1, &place(1)).unwrap();
    r.wait_on(1, 2).unwrap();
    let mut out = vec![0.0; 4];
    // SAFETY: waited for below.
    unsafe {
        let device = crate::device::DevicePtr(maps[0].device as u64);
        let stream = r.state().queues.existing(2).unwrap();
        let to = out.as_mut_ptr().cast();
        r.device.copy_d2h_async(to, device, 32, stream).unwrap();
    }
    r.wait(2).unwrap();
    assert_eq!(std::hint::black_box(&out)[..], [3.0; 4]);
    r.wait_all_on(3).unwrap();
}

#[test]
fn a_copy_that_is_waited_for_comes_after_the_regions_on_queues() {
    let r = runtime(1 << 20);
    let a = vec![1.0; 4];
    let mut outer = [map(&a, Kind::CopyOut, WRITTEN, c"a")];
    r.enter(&mut outer, SYNC, &place(1)).unwrap();
    let mut inner = [map(&a, Kind::Copy, IMPLICIT | WRITTEN, c"a")];
    r.enter(&mut inner, 1, &place(2)).unwrap();
    let values = [6.0f64; 4];
    // SAFETY: the copy out comes behind it, and is waited for.
    unsafe {
        let device = crate::device::DevicePtr(inner[0].device as u64);
        let mut state = r.state();
        let stream = state.queues.existing(1).unwrap();
        state.queues.mark(stream);
        let from = values.as_ptr().cast();
        r.device.copy_h2d_async(device, from, 32, stream).unwrap();
    }
    r.exit(&inner, 1, &place(3)).unwrap();
    r.exit(&outer, SYNC, &place(4)).unwrap();
    assert_eq!(std::hint::black_box(&a)[..], [6.0; 4]);
}

#[test]
fn memory_that_is_given_back_is_free() {
    let r = runtime(1 << 20);
    let a = r.malloc(1000).unwrap();
    assert_eq!(r.free_memory(), (1 << 20) - 1024);
    r.free(a).unwrap();
    assert_eq!(r.free_memory(), 1 << 20);
}

#[test]
fn what_is_kept_goes_when_memory_is_short() {
    let r = runtime(8192);
    let a = vec![1.0; 500];
    let mut maps = [map(&a, Kind::CopyIn, 0, c"a")];
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    r.exit(&maps, SYNC, &place(2)).unwrap();
    assert_eq!(r.device.allocated(), (1, 4096));
    let b = vec![1.0; 1000];
    let mut maps = [map(&b, Kind::CopyIn, 0, c"b")];
    r.enter(&mut maps, SYNC, &place(3)).unwrap();
    assert_eq!(r.device.allocated(), (1, 8192));
    let mut more = [map(&a, Kind::CopyIn, 0, c"a")];
    let error = r.enter(&mut more, SYNC, &place(4)).unwrap_err();
    assert_eq!(
        error,
        "t.c:4: error: no place for `a` (4000 bytes): out of device memory: 4096 bytes requested, \
         0 of 8192 free\n  this program holds 8192 bytes there, in 1 block, and keeps 0 for \
         reuse\n  `b`, 8000 bytes, is there since t.c:3"
    );
    // More than half of the memory is not kept.
    r.exit(&maps, SYNC, &place(5)).unwrap();
    assert_eq!(r.device.allocated(), (0, 0));
}

#[test]
fn pointers_are_attached() {
    let r = runtime(1 << 20);
    let data = vec![1.0; 4];
    let holder = vec![data.as_ptr() as u64, 5];
    let holder_map = |kind, flags| Map {
        host: holder.as_ptr().cast_mut().cast(),
        bytes: 16,
        kind: kind as u32,
        flags,
        name: c"s".as_ptr(),
        device: std::ptr::null_mut(),
    };
    let pointer = |kind, flags| Map {
        bytes: 8,
        ..holder_map(kind, flags)
    };
    let mut maps = [
        holder_map(Kind::Copy, 0),
        map(&data, Kind::Copy, 0, c"s.p"),
        pointer(Kind::Attach, 0),
    ];
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    // SAFETY: two words are there.
    let word = |m: &Map| unsafe { *m.device.cast::<u64>() };
    assert_eq!(word(&maps[0]), maps[1].device as u64);
    // A copy in either direction leaves the pointers alone.
    let update = |kind| [holder_map(kind, 0)];
    r.update(&update(Kind::UpdateDevice), SYNC, false, &place(2))
        .unwrap();
    assert_eq!(word(&maps[0]), maps[1].device as u64);
    r.update(&update(Kind::UpdateHost), SYNC, false, &place(3))
        .unwrap();
    assert_eq!(std::hint::black_box(&holder)[0], data.as_ptr() as u64);
    // Attached twice, detached at the second.
    r.enter(&mut [pointer(Kind::Attach, 0)], SYNC, &place(4))
        .unwrap();
    r.exit(&[pointer(Kind::Detach, 0)], SYNC, &place(5))
        .unwrap();
    assert_eq!(word(&maps[0]), maps[1].device as u64);
    r.exit(&maps, SYNC, &place(6)).unwrap();
    assert_eq!(std::hint::black_box(&holder)[..], [data.as_ptr() as u64, 5]);
    assert_eq!(allocations(r), 0);
    // What is not present is not attached.
    r.enter(&mut [pointer(Kind::Attach, 0)], SYNC, &place(7))
        .unwrap();
    r.exit(&[pointer(Kind::Detach, FINALIZE)], SYNC, &place(8))
        .unwrap();
}

#[test]
fn memory_of_the_program_is_mapped() {
    let r = runtime(1 << 20);
    let a = vec![1.0; 8];
    let host = a.as_ptr() as u64;
    let device = r.malloc(64).unwrap();
    r.map(host, device, 64).unwrap();
    assert!(
        r.map(host + 8, device, 8)
            .unwrap_err()
            .contains("acc_map_data")
    );
    assert_eq!(r.device_address(host + 16), Some(device + 16));
    assert_eq!(r.host_address(device + 63), Some(host + 63));
    assert!(r.is_present(host, 64) && !r.is_present(host, 65));
    let mut maps = [map(&a, Kind::Copy, 0, c"a")];
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    assert_eq!(maps[0].device as u64, device);
    r.exit(&maps, SYNC, &place(2)).unwrap();
    r.exit(
        &[map(&a, Kind::Delete, DYNAMIC | FINALIZE, c"a")],
        SYNC,
        &place(3),
    )
    .unwrap();
    assert!(r.is_present(host, 64), "clauses do not end it");
    r.unmap(host).unwrap();
    assert!(r.unmap(host).is_err() && !r.is_present(host, 1));
    r.free(device).unwrap();
    assert!(r.free(device).unwrap_err().contains("acc_free"));
    r.enter(&mut maps, SYNC, &place(4)).unwrap();
    r.forget().unwrap();
    assert_eq!((allocations(r), r.device.allocated().0), (0, 0));
}

#[test]
fn an_error_says_who_holds_the_memory() {
    let r = runtime(8192);
    let arrays: Vec<Vec<f64>> = (1..8).map(|n| vec![0.0; n * 10]).collect();
    for a in &arrays {
        let mut maps = [map(a, Kind::Create, 0, c"x")];
        r.enter(&mut maps, SYNC, &place(3)).unwrap();
    }
    let extra = r.malloc(100).unwrap();
    let kept = vec![1.0; 256];
    let mut maps = [map(&kept, Kind::Create, 0, c"kept")];
    r.enter(&mut maps, SYNC, &place(4)).unwrap();
    r.exit(&maps, SYNC, &place(5)).unwrap();
    let large = vec![1.0; 600];
    let mut maps = [map(&large, Kind::CopyIn, 0, c"large")];
    let error = r.enter(&mut maps, SYNC, &place(9)).unwrap_err();
    assert_eq!(
        error,
        "t.c:9: error: no place for `large` (4800 bytes): out of device memory: 5120 bytes \
         requested, 3584 of 8192 free\n  this program holds 4608 bytes there, in 8 blocks, and \
         keeps 0 for reuse (2048 were given back for this, and did not help)\n  `x`, 560 bytes, is \
         there since t.c:3\n  `x`, 480 bytes, is there since t.c:3\n  `x`, 400 bytes, is there \
         since t.c:3\n  `x`, 320 bytes, is there since t.c:3\n  `x`, 240 bytes, is there since \
         t.c:3\n  and 2 more arrays, 240 bytes"
    );
    // The program may go on without.
    r.free(extra).unwrap();
    let mut maps = [map(&large[..480], Kind::CopyIn, 0, c"less")];
    r.enter(&mut maps, SYNC, &place(10)).unwrap();
}
