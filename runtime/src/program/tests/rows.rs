//! Sections of what pointers point to.

use super::super::abi::{DYNAMIC, IMPLICIT, ROW, ROWS};
use super::super::queue::SYNC;
use super::*;

/// Maps of a table and of `n` elements of each row, from element `first` on.
fn rows(table: &[*const f64], first: usize, n: usize, kind: Kind, flags: u32) -> [Map; 2] {
    let map = |host: usize, bytes: usize, more: u32| Map {
        host: host as *mut c_void,
        bytes: bytes as u64,
        kind: kind as u32,
        flags: flags | more,
        name: c"a".as_ptr(),
        device: std::ptr::null_mut(),
    };
    [
        map(table.as_ptr() as usize, size_of_val(table), ROWS),
        map(first * 8, n * 8, ROW),
    ]
}

/// The pointers in device memory.
fn pointers(device: *mut c_void, n: usize) -> Vec<*mut c_void> {
    let bits = peek(device, n);
    bits.iter().map(|p| p.to_bits() as *mut c_void).collect()
}

fn entries(r: &Runtime) -> usize {
    r.state().table.entries().count()
}

#[test]
fn a_table_on_the_device_points_to_rows_there() {
    let r = runtime(1 << 20);
    let data = [vec![1.0, 2.0, 3.0], vec![4.0, 5.0, 6.0]];
    let table = [data[0].as_ptr(), data[1].as_ptr()];
    let host = table;
    let mut maps = rows(&table, 0, 3, Kind::Copy, 0);
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    assert_eq!(entries(r), 3);
    let there = pointers(maps[0].device, 2);
    assert_eq!(peek(there[0], 3), data[0]);
    assert_eq!(peek(there[1], 3), data[1]);
    poke(there[1], &[7.0, 8.0, 9.0]);
    // A region that finds it there leaves the rows alone.
    let mut again = rows(&table, 0, 3, Kind::Copy, IMPLICIT);
    r.enter(&mut again, SYNC, &place(2)).unwrap();
    assert_eq!(again[0].device, maps[0].device);
    r.exit(&again, SYNC, &place(2)).unwrap();
    assert_eq!(entries(r), 3);
    let host_part = rows(&table, 1, 1, Kind::UpdateHost, 0);
    r.update(&host_part, SYNC, false, &place(3)).unwrap();
    assert_eq!(std::hint::black_box(&data)[1], [4.0, 8.0, 6.0]);
    r.exit(&maps, SYNC, &place(4)).unwrap();
    assert_eq!(std::hint::black_box(&data)[1], [7.0, 8.0, 9.0]);
    assert_eq!(std::hint::black_box(&table), &host);
    assert_eq!(entries(r), 0);
}

#[test]
fn pointers_are_to_the_start_of_rows_of_which_a_part_is_there() {
    let r = runtime(1 << 20);
    let data = [vec![1.0, 2.0, 3.0], vec![4.0, 5.0, 6.0]];
    let table = [data[0].as_ptr(), std::ptr::null(), data[1].as_ptr()];
    let mut maps = rows(&table, 1, 2, Kind::CopyIn, DYNAMIC);
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    let there = pointers(maps[0].device, 3);
    assert!(there[1].is_null());
    // One element behind where the pointer points.
    let second = there[2].wrapping_byte_add(8);
    assert_eq!(peek(second, 2), [5.0, 6.0]);
    let mut gone = rows(&table, 1, 2, Kind::Delete, DYNAMIC);
    r.exit(&gone, SYNC, &place(2)).unwrap();
    assert_eq!(entries(r), 0);
    gone[0].flags &= !DYNAMIC;
    r.exit(&gone, SYNC, &place(3)).unwrap();
}

#[test]
fn rows_may_be_added_one_by_one() {
    let r = runtime(1 << 20);
    let data = [vec![1.0], vec![2.0, 3.0]];
    let table = [data[0].as_ptr(), data[1].as_ptr()];
    let whole = map_of(&table, Kind::Create);
    let mut whole = [whole];
    r.enter(&mut whole, SYNC, &place(1)).unwrap();
    for (i, row) in data.iter().enumerate() {
        let mut maps = rows(&table[i..=i], 0, row.len(), Kind::CopyIn, DYNAMIC);
        r.enter(&mut maps, SYNC, &place(2)).unwrap();
    }
    let there = pointers(whole[0].device, 2);
    assert_eq!(peek(there[0], 1), [1.0]);
    assert_eq!(peek(there[1], 2), [2.0, 3.0]);
}

/// A map of the table alone.
fn map_of(table: &[*const f64], kind: Kind) -> Map {
    let [mut map, _] = rows(table, 0, 0, kind, DYNAMIC);
    map.flags &= !ROWS;
    map
}
