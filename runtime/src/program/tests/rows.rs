use std::ffi::c_void;

use super::super::abi::{ALWAYS_IN, ALWAYS_OUT, DYNAMIC, Kind, Map, ROWS, WRITTEN};
use super::super::queue::SYNC;
use super::super::rows::expand;
use super::*;

/// The maps of `clause(t[0:n][first:m])`.
fn rows(table: &[*const f64], kind: Kind, flags: u32, first: usize, m: usize) -> [Map; 2] {
    let pointers = Map {
        host: table.as_ptr().cast_mut().cast(),
        bytes: size_of_val(table) as u64,
        kind: kind as u32,
        flags,
        name: c"t".as_ptr(),
        device: std::ptr::null_mut(),
    };
    let row = Map {
        host: (first * 8) as *mut c_void,
        bytes: (m * 8) as u64,
        flags: flags | ROWS,
        ..pointers
    };
    [pointers, row]
}

/// The pointers in a table on the device.
fn pointers(device: *mut c_void, n: usize) -> Vec<*mut c_void> {
    peek(device, n)
        .into_iter()
        .map(|x| x.to_bits() as *mut c_void)
        .collect()
}

#[test]
fn rows_go_and_their_pointers_lead_to_them() {
    let r = runtime(1 << 20);
    let a: Vec<Vec<f64>> = (0..3).map(|i| vec![f64::from(i); 4]).collect();
    let mut table: Vec<*const f64> = a.iter().map(|row| row.as_ptr()).collect();
    table.insert(1, std::ptr::null());
    let mut maps = rows(&table, Kind::Copy, WRITTEN, 1, 2);
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    let there = pointers(maps[0].device, 4);
    assert!(there[1].is_null());
    // They point to where the first element would be, of which only two are there.
    let second = there[2].wrapping_byte_add(8);
    assert_eq!(peek(second, 2), [1.0, 1.0]);
    assert_eq!(
        r.device_address(a[1][1..].as_ptr() as u64),
        Some(second as u64)
    );
    poke(second, &[8.0, 9.0]);
    r.exit(&maps, SYNC, &place(2)).unwrap();
    assert_eq!(std::hint::black_box(&a)[1], [1.0, 8.0, 9.0, 1.0]);
    assert_eq!(table[2], a[1].as_ptr());
    assert_eq!(r.state().table.entries().count(), 0);
}

#[test]
fn pointers_that_are_created_lead_to_rows_too() {
    let r = runtime(1 << 20);
    let a = [vec![1.0; 2], vec![2.0; 2]];
    let table: Vec<*const f64> = a.iter().map(|row| row.as_ptr()).collect();
    let mut maps = rows(&table, Kind::Create, DYNAMIC, 0, 2);
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    for row in pointers(maps[0].device, 2) {
        poke(row, &[3.0, 4.0]);
    }
    let update = rows(&table, Kind::UpdateHost, 0, 0, 2);
    r.update(&update, SYNC, false, &place(2)).unwrap();
    assert_eq!(std::hint::black_box(&a)[1], [3.0, 4.0]);
    let out = rows(&table, Kind::Delete, DYNAMIC, 0, 2);
    r.exit(&out, SYNC, &place(3)).unwrap();
    assert_eq!(r.state().table.entries().count(), 0);
    let error = r
        .enter(&mut rows(&table, Kind::Present, 0, 0, 2), SYNC, &place(4))
        .unwrap_err();
    assert!(error.contains("is not on the device"), "{error}");
}

#[test]
fn maps_without_rows_stay() {
    let a = vec![1.0];
    let maps = [map(&a, Kind::Copy, 0, c"a"), map(&a, Kind::Copy, 0, c"b")];
    assert_eq!(expand(&maps).len(), 2);
    let table: Vec<*const f64> = vec![a.as_ptr()];
    let [t, row] = rows(&table, Kind::CopyOut, DYNAMIC, 0, 1);
    let all = expand(&[maps[0], t, row, maps[1]]).into_owned();
    let kinds: Vec<_> = all.iter().map(|m| m.kind().unwrap()).collect();
    let want = [
        Kind::Copy,
        Kind::CopyIn,
        Kind::CopyOut,
        Kind::Attach,
        Kind::Copy,
    ];
    assert_eq!(kinds, want);
    assert!(
        all.iter()
            .all(|m| m.kind() == Ok(Kind::Attach) || !m.is(ROWS))
    );
}

#[test]
fn many_rows_are_entered_and_left() {
    let r = runtime(1 << 22);
    let a: Vec<Vec<f64>> = (0..3000).map(|i| vec![f64::from(i); 2]).collect();
    let table: Vec<*const f64> = a.iter().map(|row| row.as_ptr()).collect();
    let mut maps = rows(&table, Kind::Copy, WRITTEN, 0, 2);
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    let there = pointers(maps[0].device, 3000);
    assert_eq!(peek(there[2999], 2), [2999.0; 2]);
    r.exit(&maps, SYNC, &place(2)).unwrap();
    assert_eq!(r.state().table.entries().count(), 0);
}

#[test]
fn a_copy_of_a_regions_own() {
    let r = runtime(1 << 20);
    let a = vec![1.0; 4];
    let mut outer = [map(&a, Kind::CopyIn, 0, c"a")];
    r.enter(&mut outer, SYNC, &place(1)).unwrap();
    poke(outer[0].device, &[5.0; 4]);
    let mut own = [map(&a, Kind::FirstPrivate, WRITTEN, c"a")];
    r.enter(&mut own, SYNC, &place(2)).unwrap();
    assert_ne!(own[0].device, outer[0].device);
    assert_eq!(peek(own[0].device, 4), [1.0; 4]);
    poke(own[0].device, &[7.0; 4]);
    r.exit(&own, SYNC, &place(3)).unwrap();
    assert_eq!(peek(outer[0].device, 4), [5.0; 4]);
    r.exit(&outer, SYNC, &place(4)).unwrap();
    assert_eq!(std::hint::black_box(&a)[..], [1.0; 4]);
}

#[test]
fn always_copies_what_is_present() {
    let r = runtime(1 << 20);
    let mut a = vec![1.0; 2];
    let mut outer = [map(&a, Kind::CopyIn, 0, c"a")];
    r.enter(&mut outer, SYNC, &place(1)).unwrap();
    a[0] = 2.0;
    let flags = ALWAYS_IN | ALWAYS_OUT | WRITTEN;
    let mut inner = [map(&a, Kind::Copy, flags, c"a")];
    r.enter(&mut inner, SYNC, &place(2)).unwrap();
    assert_eq!(peek(inner[0].device, 2), [2.0, 1.0]);
    poke(inner[0].device, &[3.0, 4.0]);
    r.exit(&inner, SYNC, &place(3)).unwrap();
    assert_eq!(std::hint::black_box(&a)[..], [3.0, 4.0]);
    assert_eq!(r.state().table.entries().count(), 1);
    r.exit(&outer, SYNC, &place(4)).unwrap();
}

#[test]
fn use_device_asks_for_what_is_present() {
    let r = runtime(1 << 20);
    let a = vec![1.0; 2];
    let host = a.as_ptr() as u64;
    let error = r.use_device(host, false, "a", &place(3)).unwrap_err();
    let wanted = "t.c:3: error: `a` is not on the device, and use_device asks for its address \
                  there; `if_present` would take the host's";
    assert_eq!(error, wanted);
    assert_eq!(r.use_device(host, true, "a", &place(3)), Ok(host));
    let mut maps = [map(&a, Kind::CopyIn, 0, c"a")];
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    let there = r.use_device(host, false, "a", &place(3));
    assert_eq!(there, Ok(maps[0].device as u64));
}

#[test]
fn copies_that_find_no_place() {
    let r = runtime(1 << 10);
    let a = vec![1.0; 1000];
    let mut own = [map(&a, Kind::FirstPrivate, WRITTEN, c"a")];
    let error = r.enter(&mut own, SYNC, &place(7)).unwrap_err();
    let wanted = "t.c:7: error: no place for a copy of `a` (8000 bytes): ";
    assert!(error.starts_with(wanted), "{error}");
}
