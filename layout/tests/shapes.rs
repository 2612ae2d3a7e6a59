//! Dimensions that come and go, other shapes, and layouts made for accesses.

mod support;

use std::collections::BTreeSet;
use support::{any_layout, covering, meaning, places, small_shape};
use terrace_layout::{Layout, Outside, Place, Resource};
use terrace_lit::random::Random;

fn layout(text: &str) -> Layout {
    Layout::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// What the threads hold, each element once, without their registers.
fn held(l: &Layout, change: impl Fn(&[i64]) -> Vec<i64>) -> BTreeSet<(Place, Vec<i64>)> {
    (places(l).into_iter())
        .map(|p| (p.with(Resource::Reg, 0), change(&meaning(l, &p))))
        .collect()
}

fn any(rng: &mut Random) -> Layout {
    match rng.one_in(2) {
        true => any_layout(rng),
        false => {
            let shape = small_shape(rng);
            covering(rng, &shape, &Resource::ALL)
        }
    }
}

#[test]
fn reductions_leave_what_threads_held() {
    let sums = layout("<[128, 64], reg = [2 @ (0,1), 2 @ (8,0)], lane = [4 @ (0,2), 8 @ (1,0)]>");
    assert_eq!(
        sums.drop_axis(1).unwrap().to_string(),
        "<[128], reg = [2 @ (8)], lane = [4 @ (0), 8 @ (1)]>"
    );
    assert!(sums.drop_axis(2).is_err());
    let mut rng = Random(11);
    for _ in 0..3000 {
        let l = any(&mut rng);
        if l.rank() == 0 {
            continue;
        }
        let axis = rng.between(0, l.rank() as i64 - 1) as usize;
        let dropped = l.drop_axis(axis).unwrap();
        let without = |e: &[i64]| [&e[..axis], &e[axis + 1..]].concat();
        assert_eq!(
            held(&dropped, <[i64]>::to_vec),
            held(&l, without),
            "{l} {axis}"
        );
        assert_eq!(dropped.shape(), without(l.shape()));
    }
}

#[test]
fn broadcasts_bring_a_dimension_back() {
    let mut rng = Random(12);
    for _ in 0..3000 {
        let l = any(&mut rng);
        let axis = rng.between(0, l.rank() as i64) as usize;
        let extent = rng.between(1, 5);
        let wide = l.broadcast(axis, extent).unwrap();
        assert_eq!(wide.shape()[axis], extent);
        let back = wide.drop_axis(axis).unwrap();
        assert!(back.is_same_as(&l), "{l} {wide}");
        let with = |e: &[i64], n: i64| [&e[..axis], &[n], &e[axis..]].concat();
        let wanted: BTreeSet<_> = (0..extent).flat_map(|n| held(&l, |e| with(e, n))).collect();
        assert_eq!(held(&wide, <[i64]>::to_vec), wanted, "{l} {wide}");
    }
    let row = layout("<[8], reg = [8 @ (1)], lane = [32 @ (0)]>");
    let wide = row.broadcast_over(0, 64, &[(Resource::Lane, 8, 1), (Resource::Warp, 8, 8)]);
    let wide = wide.unwrap();
    assert_eq!(
        wide.to_string(),
        "<[64, 8], reg = [8 @ (0,1)], lane = [8 @ (1,0), 4 @ (0,0)], warp = [8 @ (8,0)]>"
    );
    assert!(wide.covers(Outside::Refused));
    assert!(row.broadcast(2, 4).is_err() && row.broadcast(0, 0).is_err());
}

#[test]
fn transposes_permute_coordinates() {
    let mut rng = Random(13);
    for _ in 0..2000 {
        let l = any(&mut rng);
        let mut order: Vec<usize> = (0..l.rank()).collect();
        rng.shuffle(&mut order);
        let t = l.transpose(&order).unwrap();
        for place in places(&l) {
            let old = meaning(&l, &place);
            let new: Vec<i64> = order.iter().map(|from| old[*from]).collect();
            assert_eq!(meaning(&t, &place), new, "{l} {order:?}");
        }
    }
    let l = layout("<[2, 4]>");
    for order in [&[0][..], &[0, 0], &[0, 2], &[0, 1, 2]] {
        assert!(l.transpose(order).is_err());
    }
}

/// Another shape of as many elements.
fn other_shape(rng: &mut Random, volume: i64) -> Vec<i64> {
    let mut left = volume;
    let mut out = Vec::new();
    while left > 1 && out.len() < 3 {
        let divisors: Vec<i64> = (1..=left).filter(|d| left % d == 0).collect();
        let next = *rng.pick(&divisors);
        out.push(next);
        left /= next;
    }
    out.push(left);
    out
}

#[test]
fn reshapes_keep_the_order_of_elements() {
    let number = |e: &[i64], shape: &[i64]| e.iter().zip(shape).fold(0, |n, (c, s)| n * s + c);
    let row = layout("<[416], reg = [13 @ (1)], lane = [32 @ (13)]>");
    assert_eq!(
        row.reshape(&[16, 26]).unwrap().to_string(),
        "<[16, 26], reg = [13 @ (0,1)], lane = [2 @ (0,13), 16 @ (1,0)]>"
    );
    assert_eq!(row.reshape(&[13, 32]), None);
    assert_eq!(row.reshape(&[415]), None);
    assert_eq!(layout("<[2, 3], reg = [4 @ (0,1)]>").reshape(&[6]), None);
    assert_eq!(row.reshape(&[-416, -1]), None);
    let mut rng = Random(14);
    let mut done = 0;
    for _ in 0..6000 {
        let shape = small_shape(&mut rng);
        let l = covering(&mut rng, &shape, &Resource::ALL);
        let shape = other_shape(&mut rng, l.volume());
        let Some(r) = l.reshape(&shape) else { continue };
        done += 1;
        for place in places(&l) {
            let (old, new) = (meaning(&l, &place), meaning(&r, &place));
            assert!(r.contains(&new), "{l} {r}");
            assert_eq!(number(&old, l.shape()), number(&new, &shape), "{l} {r}");
        }
        assert!(r.reshape(l.shape()).unwrap().is_same_as(&l), "{l} {r}");
    }
    assert!(done > 2000, "only {done} layouts had another shape");
}

#[test]
fn reshapes_of_powers_of_two_always_exist() {
    let mut rng = Random(15);
    for _ in 0..500 {
        let l = covering(&mut rng, &[4, 8, 2], &Resource::ALL);
        for shape in [&[64][..], &[2, 32], &[16, 1, 4], &[2, 2, 2, 2, 2, 2]] {
            assert!(l.reshape(shape).is_some(), "{l} {shape:?}");
        }
    }
}

#[test]
fn blocked_layouts() {
    let b = |shape: &[i64], order: &[usize], vector, threads| {
        Layout::blocked(shape, order, vector, threads).map(|l| {
            assert!(l.covers(Outside::Refused) && l.is_injective(), "{l}");
            assert_eq!(l.size(Resource::Lane), 32, "{l}");
            assert_eq!(l.size(Resource::Warp), threads as usize / 32, "{l}");
            l.to_string()
        })
    };
    for (shape, order, vector, threads, wanted) in [
        (
            &[128, 128][..],
            &[1, 0][..],
            4,
            256,
            "<[128, 128], reg = [4 @ (0,1), 16 @ (8,0)], lane = [32 @ (0,4)], warp = [8 @ (1,0)]>",
        ),
        (
            &[64, 96],
            &[1, 0],
            4,
            256,
            "<[64, 96], reg = [4 @ (0,1), 3 @ (0,32), 2 @ (32,0)], \
             lane = [8 @ (0,4), 4 @ (1,0)], warp = [8 @ (4,0)]>",
        ),
        (
            &[64, 96],
            &[0, 1],
            1,
            64,
            "<[64, 96], reg = [96 @ (0,1)], lane = [32 @ (1,0)], warp = [2 @ (32,0)]>",
        ),
        (
            &[416],
            &[0],
            13,
            256,
            "<[416], reg = [13 @ (1)], lane = [32 @ (13)], warp = [8 @ (0)]>",
        ),
        (
            &[3, 3],
            &[1, 0],
            1,
            32,
            "<[3, 3], reg = [3 @ (0,1), 3 @ (1,0)], lane = [32 @ (0,0)]>",
        ),
        (&[], &[], 1, 64, "<[], lane = [32 @ ()], warp = [2 @ ()]>"),
    ] {
        let made = b(shape, order, vector, threads).unwrap();
        // The number of warps is part of the text only where it is not 1.
        assert_eq!(made, wanted);
    }
    let fails = |shape: &[i64], order: &[usize], vector, threads| {
        b(shape, order, vector, threads).unwrap_err().to_string()
    };
    assert_eq!(
        fails(&[416], &[0], 4, 32),
        "104 pieces of a tile cannot be spread evenly over 32 lanes"
    );
    assert_eq!(
        fails(&[64], &[0], 3, 32),
        "64 elements of a row cannot be spread evenly over 3 elements of an access"
    );
    assert_eq!(
        fails(&[64], &[0], 1, 48),
        "48 threads cannot be spread evenly over 32 lanes of a warp"
    );
    assert!(fails(&[64], &[1], 1, 32).contains("must name"));
    assert!(fails(&[64], &[0], 0, 32).contains("over 0"));
    assert!(fails(&[], &[], 2, 32).contains("no dimension"));
}

#[test]
fn layouts_of_rows() {
    let r = |shape: &[i64], axis, per_row, vector, threads| {
        Layout::rows(shape, axis, per_row, vector, threads).map(|l| {
            assert!(l.covers(Outside::Refused) && l.is_injective(), "{l}");
            assert_eq!(l.size(Resource::Lane), 32, "{l}");
            assert_eq!(l.size(Resource::Warp), threads as usize / 32, "{l}");
            l.to_string()
        })
    };
    for (shape, axis, per_row, vector, threads, wanted) in [
        (
            &[8192][..],
            0,
            256,
            4,
            256,
            "<[8192], reg = [4 @ (1), 8 @ (1024)], lane = [32 @ (4)], warp = [8 @ (128)]>",
        ),
        (
            &[64, 96],
            1,
            8,
            4,
            128,
            "<[64, 96], reg = [4 @ (0,1), 3 @ (0,32), 4 @ (16,0)], \
             lane = [8 @ (0,4), 4 @ (1,0)], warp = [4 @ (4,0)]>",
        ),
        (
            &[64, 96],
            0,
            1,
            1,
            32,
            "<[64, 96], reg = [64 @ (1,0), 3 @ (0,32)], lane = [32 @ (0,1)]>",
        ),
        (
            &[2, 128],
            1,
            32,
            4,
            128,
            "<[2, 128], reg = [4 @ (0,1)], lane = [32 @ (0,4)], warp = [2 @ (1,0), 2 @ (0,0)]>",
        ),
    ] {
        assert_eq!(
            r(shape, axis, per_row, vector, threads).as_deref(),
            Ok(wanted)
        );
    }
    for (shape, axis, per_row, vector, threads) in [
        (&[64][..], 1, 1, 1, 32),
        (&[64], 0, 3, 1, 32),
        (&[64], 0, 0, 1, 32),
        (&[64], 0, -32, 1, 32),
        (&[64], 0, 48, 1, 64),
        (&[64], 0, 64, 1, 32),
        (&[64], 0, 32, 4, 32),
        (&[64], 0, 32, 0, 32),
        (&[96, 33], 0, 8, 1, 32),
    ] {
        assert!(
            r(shape, axis, per_row, vector, threads).is_err(),
            "{shape:?} {per_row}"
        );
    }
}
