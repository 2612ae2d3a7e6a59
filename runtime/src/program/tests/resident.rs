//! Data that stays on the device behind its region.

use super::super::abi::{DEFER, IMPLICIT, Kind, Map, RESIDENT, WRITTEN};
use super::super::queue::SYNC;
use super::super::resident::Use;
use super::*;
use std::sync::Mutex;

/// One thread at a time has data that stays, whatever the device.
static ALONE: Mutex<()> = Mutex::new(());

const READS: Use = Use {
    writes: false,
    gone: false,
};
const WRITES: Use = Use {
    writes: true,
    gone: false,
};
const GONE: Use = Use {
    writes: false,
    gone: true,
};

/// A map that may stay, of pointers of a class.
fn staying(array: &[f64], kind: Kind, class: u64) -> Map {
    let mut m = map(array, kind, IMPLICIT | WRITTEN | DEFER, c"a");
    m.device = class as *mut c_void;
    m
}

/// A region that writes these numbers to the front of its array.
fn region(r: &Runtime, m: Map, new: &[f64]) -> Vec<f64> {
    let mut maps = [m];
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    let n = (m.bytes / 8) as usize;
    let found = peek(maps[0].device, n);
    poke(maps[0].device, new);
    r.exit(&maps, SYNC, &place(1)).unwrap();
    found
}

fn uses(r: &Runtime, array: &[f64], how: Use) {
    let start = array.as_ptr() as u64;
    let range = (start, start + size_of_val(array) as u64);
    r.host_uses(range, how, &place(2)).unwrap();
}

fn at(a: &[f64], i: usize) -> f64 {
    std::hint::black_box(a)[i]
}

#[test]
fn it_comes_back_when_it_is_used() {
    let _alone = super::super::lock(&ALONE);
    let r = runtime(1 << 20);
    let mut a = vec![1.0, 2.0, 3.0, 4.0];
    let m = staying(&a, Kind::Copy, 1);
    assert_eq!(region(r, m, &[5.0, 6.0]), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(at(&a, 0), 1.0);
    // Another region finds it.
    assert_eq!(region(r, m, &[7.0]), [5.0, 6.0, 3.0, 4.0]);
    uses(r, &a[1..2], READS);
    assert_eq!((at(&a, 0), at(&a, 1)), (1.0, 6.0));
    uses(r, &a, READS);
    assert_eq!((at(&a, 0), at(&a, 3)), (7.0, 4.0));
    // What the program writes goes again, and nothing else.
    uses(r, &a[2..3], WRITES);
    a[2] = 30.0;
    a[3] = 40.0;
    assert_eq!(region(r, m, &[]), [7.0, 6.0, 30.0, 4.0]);
    uses(r, &a, GONE);
    assert!(r.state().residents.is_empty());
    assert_eq!(at(&a, 3), 40.0);
}

#[test]
fn parts_grow_together() {
    let _alone = super::super::lock(&ALONE);
    let r = runtime(1 << 20);
    let mut a = vec![0.0; 9];
    region(r, staying(&a[0..3], Kind::Copy, 1), &[1.0; 3]);
    region(r, staying(&a[5..8], Kind::CopyOut, 1), &[2.0; 3]);
    a[3] = 8.0;
    a[4] = 9.0;
    let found = region(r, staying(&a[1..6], Kind::Copy, 1), &[]);
    assert_eq!(found, [1.0, 1.0, 8.0, 9.0, 2.0]);
    uses(r, &a, READS);
    assert_eq!(
        std::hint::black_box(&a)[..],
        [1.0, 1.0, 1.0, 8.0, 9.0, 2.0, 2.0, 2.0, 0.0]
    );
    uses(r, &a, GONE);
}

#[test]
fn clauses_find_nothing_there() {
    let _alone = super::super::lock(&ALONE);
    let r = runtime(1 << 20);
    let a = vec![1.0; 4];
    region(r, staying(&a, Kind::Copy, 1), &[2.0; 4]);
    assert!(!r.touches(a.as_ptr() as u64, 8));
    let mut clause = [map(&a, Kind::CopyIn, 0, c"a")];
    r.enter(&mut clause, SYNC, &place(3)).unwrap();
    assert!(r.state().residents.is_empty());
    assert_eq!(at(&a, 1), 2.0);
    assert_eq!(peek(clause[0].device, 4), [2.0; 4]);
    // What is present does not stay for itself.
    let mut inner = [staying(&a, Kind::Copy, 1)];
    r.enter(&mut inner, SYNC, &place(4)).unwrap();
    assert!(!inner[0].is(RESIDENT));
    assert_eq!(inner[0].device, clause[0].device);
    r.exit(&inner, SYNC, &place(4)).unwrap();
    r.exit(&clause, SYNC, &place(5)).unwrap();
}

/// A part that meets memory of a clause of the same directive is the clause's.
#[test]
fn what_meets_a_clause_does_not_stay() {
    let _alone = super::super::lock(&ALONE);
    let r = runtime(1 << 20);
    let a = [1.0; 6];
    let mut maps = [
        staying(&a[0..3], Kind::CopyIn, 1),
        map(&a[2..6], Kind::CopyIn, IMPLICIT, c"b"),
    ];
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    assert!(r.state().residents.is_empty());
    r.exit(&maps, SYNC, &place(1)).unwrap();
}

/// Memory that is needed for something else is had from what stays.
#[test]
fn it_makes_room() {
    let _alone = super::super::lock(&ALONE);
    let r = runtime(3000);
    let (a, b) = (vec![1.0; 200], vec![3.0; 200]);
    region(r, staying(&a, Kind::Copy, 1), &[2.0; 200]);
    assert_eq!(region(r, staying(&b, Kind::Copy, 2), &[]), b);
    assert_eq!(at(&a, 199), 2.0);
    uses(r, &b, GONE);
    assert!(r.state().residents.is_empty());
}

#[test]
fn others_wait_for_the_thread_that_has_some() {
    let _alone = super::super::lock(&ALONE);
    let r = runtime(1 << 20);
    let a = vec![1.0; 4];
    region(r, staying(&a, Kind::Copy, 1), &[2.0; 4]);
    std::thread::scope(|s| {
        s.spawn(|| {
            let b = vec![5.0; 4];
            let mut maps = [staying(&b, Kind::Copy, 1)];
            r.enter(&mut maps, SYNC, &place(1)).unwrap();
            assert!(!maps[0].is(RESIDENT));
            poke(maps[0].device, &[6.0]);
            r.exit(&maps, SYNC, &place(1)).unwrap();
            assert_eq!(at(&b, 0), 6.0);
        });
    });
    uses(r, &a, READS);
    assert_eq!(at(&a, 0), 2.0);
    uses(r, &a, GONE);
}
