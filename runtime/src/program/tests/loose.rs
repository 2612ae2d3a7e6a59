use super::super::abi::{IMPLICIT, Kind, LOOSE, Map, WRITTEN};
use super::super::queue::SYNC;
use super::*;

const GUESSED: u32 = LOOSE | IMPLICIT;

/// A loose map of which the element at `anchor` is surely in the array.
fn loose(array: &[f64], anchor: Option<usize>, kind: Kind, flags: u32) -> Map {
    let at = anchor.map_or(std::ptr::null(), |i| array.as_ptr().wrapping_add(i));
    Map {
        device: at.cast_mut().cast(),
        ..map(array, kind, flags | GUESSED, c"a")
    }
}

/// The value at an address that something else writes.
fn now(a: &[f64], i: usize) -> f64 {
    std::hint::black_box(a)[i]
}

#[test]
fn only_what_changed_comes_back() {
    let r = runtime(1 << 20);
    let mut a = vec![1.0, 2.0, 3.0, 4.0];
    let mut maps = [loose(&a, Some(0), Kind::Copy, WRITTEN)];
    assert_eq!(r.strays(&maps), None);
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    assert_eq!(peek(maps[0].device, 4), a);
    // No other construct finds it.
    assert_eq!(r.device_address(a.as_ptr() as u64), None);
    poke(maps[0].device, &[1.0, 9.0, 3.0, 4.0]);
    // Another thread's, for what is known.
    a[3] = 7.0;
    r.exit(&maps, SYNC, &place(2)).unwrap();
    assert_eq!((now(&a, 0), now(&a, 1), now(&a, 3)), (1.0, 9.0, 7.0));
    assert!(r.state().loose.is_empty());
    assert_eq!(r.state().blocks.live().0, 0);
}

#[test]
fn what_is_only_read_does_not_come_back() {
    let r = runtime(1 << 20);
    let a = vec![1.0, 2.0];
    let mut maps = [loose(&a, None, Kind::CopyIn, 0)];
    r.enter(&mut maps, SYNC, &place(1)).unwrap();
    poke(maps[0].device, &[5.0, 6.0]);
    r.exit(&maps, SYNC, &place(2)).unwrap();
    assert_eq!((now(&a, 0), now(&a, 1)), (1.0, 2.0));
    assert_eq!(r.state().blocks.live().0, 0);
}

#[test]
fn data_around_serves_where_it_holds_the_array() {
    let r = runtime(1 << 20);
    let a = vec![0.0; 100];
    let mut around = [
        map(&a[0..10], Kind::Copy, WRITTEN, c"a"),
        map(&a[40..50], Kind::Copy, WRITTEN, c"b"),
    ];
    r.enter(&mut around, SYNC, &place(1)).unwrap();
    for (anchor, base) in [(Some(2), 0), (Some(45), 40), (None, 0)] {
        // Of no known element it is the entry of the same name.
        let mut maps = [loose(&a, anchor, Kind::Copy, WRITTEN)];
        assert_eq!(r.strays(&maps), None);
        r.enter(&mut maps, SYNC, &place(2)).unwrap();
        let at = around[usize::from(base == 40)].device as usize - 8 * base;
        assert_eq!(maps[0].device as usize, at, "{anchor:?}");
        assert!(r.state().loose.is_empty());
        r.exit(&maps, SYNC, &place(3)).unwrap();
        assert_eq!(r.state().table.entries().count(), 2);
    }
    // None of both holds this one.
    let mut maps = [loose(&a, Some(20), Kind::Copy, WRITTEN)];
    r.enter(&mut maps, SYNC, &place(4)).unwrap();
    assert_eq!(r.state().loose.len(), 1);
    r.exit(&maps, SYNC, &place(5)).unwrap();
    assert_eq!(r.state().table.entries().count(), 2);
    // Nor is it brought up to date.
    let mut update = maps;
    update[0].device = a[20..].as_ptr().cast_mut().cast();
    update[0].kind = Kind::UpdateHost as u32;
    poke(around[0].device, &[3.0]);
    r.update(&update, SYNC, true, &place(6)).unwrap();
    assert_eq!(now(&a, 0), 0.0);
    update[0].device = a.as_ptr().cast_mut().cast();
    r.update(&update, SYNC, true, &place(6)).unwrap();
    assert_eq!(now(&a, 0), 3.0);
    r.exit(&around, SYNC, &place(7)).unwrap();
    assert_eq!(r.state().blocks.live().0, 0);
}

#[test]
fn what_may_be_another_array_stays_on_the_host() {
    let r = runtime(1 << 20);
    let a = vec![0.0; 100];
    let other = |flags| map(&a[90..], Kind::Copy, flags, c"b");
    let maps = [loose(&a, None, Kind::CopyIn, 0), other(WRITTEN)];
    let why = r.strays(&maps).unwrap();
    assert_eq!(why, "`a` may reach into `b`, as far as is known");
    assert_eq!(r.strays(&[maps[0], other(0)]), None);
    let mut huge = maps[0];
    huge.bytes = (1 << 30) + 1;
    let why = r.strays(&[huge]).unwrap();
    assert_eq!(why, "`a` may reach 1073741825 bytes, as far as is known");
    // The program's own word is taken.
    huge.flags = 0;
    assert_eq!(r.strays(&[huge]), None);
}

/// Two arrays that are entered as one keep their alignments, whichever begins first.
#[test]
fn sections_are_as_aligned_as_on_the_host() {
    let r = runtime(1 << 20);
    let a = vec![0.0; 20];
    for odd in 0..16 {
        let bytes = a.as_ptr().cast::<u8>().wrapping_add(odd);
        let mut maps = [
            Map {
                host: bytes.cast_mut().cast(),
                bytes: 40,
                ..map(&a, Kind::CopyIn, IMPLICIT, c"b")
            },
            map(&a[3..], Kind::CopyIn, IMPLICIT, c"a"),
        ];
        r.enter(&mut maps, SYNC, &place(1)).unwrap();
        for m in &maps {
            assert_eq!(m.device as usize % 16, m.host as usize % 16, "{odd}");
        }
        r.exit(&maps, SYNC, &place(2)).unwrap();
        assert_eq!(r.state().blocks.live().0, 0);
    }
}
