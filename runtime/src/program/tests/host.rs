use super::super::abi::{Kind, Map};
use super::super::queue::SYNC;
use super::*;

/// The value at an address that something else writes.
fn now(a: &[f64], i: usize) -> f64 {
    std::hint::black_box(a)[i]
}

#[test]
fn the_host_finds_the_devices_data_and_changes_it() {
    let r = runtime(1 << 20);
    let mut a = vec![1.0, 2.0, 3.0];
    let b = [4.0, 5.0];
    let mut maps = [map(&a, Kind::Copy, 0, c"a"), map(&b, Kind::CopyIn, 0, c"b")];
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    poke(maps[0].device, &[10.0, 20.0, 30.0]);
    let lent = r.lend(&place(2)).unwrap();
    assert_eq!((now(&a, 0), now(&a, 1), now(&a, 2)), (10.0, 20.0, 30.0));
    assert_eq!((now(&b, 0), now(&b, 1)), (4.0, 5.0));
    a[1] = 21.0;
    r.take_back(&lent, &place(2)).unwrap();
    // The program's own is what it was, and the device has the new value.
    assert_eq!((now(&a, 0), now(&a, 1), now(&a, 2)), (1.0, 2.0, 3.0));
    assert_eq!(peek(maps[0].device, 3), [10.0, 21.0, 30.0]);
    assert_eq!(peek(maps[1].device, 2), b);
    r.exit(&maps, SYNC, &place(3)).unwrap();
    assert_eq!((now(&a, 0), now(&a, 1), now(&a, 2)), (10.0, 21.0, 30.0));
}

#[test]
fn attached_pointers_are_the_hosts_and_may_be_led_elsewhere() {
    let r = runtime(1 << 20);
    let (a, b) = (vec![1.0, 2.0], vec![3.0, 4.0]);
    let mut pointer = a.as_ptr() as u64;
    let holder = Map {
        host: (&raw mut pointer).cast(),
        bytes: 8,
        kind: Kind::CopyIn as u32,
        flags: 0,
        name: c"p".as_ptr(),
        device: std::ptr::null_mut(),
    };
    let attach = Map {
        kind: Kind::Attach as u32,
        ..holder
    };
    let mut maps = [
        map(&a, Kind::CopyIn, 0, c"a"),
        map(&b, Kind::CopyIn, 0, c"b"),
        holder,
        attach,
    ];
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    let there = |m: &Map| m.device as u64;
    let at = maps[2].device;
    // SAFETY: the device's memory is the host's.
    let led = || unsafe { at.cast::<u64>().read_unaligned() };
    assert_eq!(led(), there(&maps[0]));
    let lent = r.lend(&place(2)).unwrap();
    assert_eq!(std::hint::black_box(&pointer), &(a.as_ptr() as u64));
    pointer = b.as_ptr() as u64 + 8;
    std::hint::black_box(&pointer);
    r.take_back(&lent, &place(2)).unwrap();
    assert_eq!(led(), there(&maps[1]) + 8);
    assert_eq!(std::hint::black_box(&pointer), &(a.as_ptr() as u64));
}
