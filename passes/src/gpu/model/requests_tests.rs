//! Counting by residues against counting address by address.

use super::super::footprint::sectors;
use super::super::joined::{joined, passes};
use super::super::nest::{Affine, Array, Guard, Loop, TileKind};
use super::*;
use terrace_ir::diag::DiagLoc;
use terrace_lit::random::Random;
use terrace_machine::by_name;

/// A nest of one access with these loops around it, all of them parallel but for those
/// behind `parallel`.
fn nest(trips: &[i64], parallel: usize, bytes: i64, terms: &[i64], first: i64) -> Nest {
    let address = Affine {
        terms: (terms.iter().enumerate())
            .filter(|(_, c)| **c != 0)
            .map(|(l, c)| (l, c * bytes))
            .collect(),
        constant: first * bytes,
    };
    let subscript = Affine {
        terms: address.terms.iter().map(|(l, c)| (*l, c / bytes)).collect(),
        constant: first,
    };
    Nest {
        loops: trips.iter().map(|n| Loop::of_trips("i", *n)).collect(),
        parallel: (0..parallel).collect(),
        arrays: vec![Array {
            name: "A".into(),
            memory: 0,
            unaliased: false,
            space: Space::Global,
            element_bytes: bytes,
            sizes: vec![1 << 40],
            strides: vec![bytes],
        }],
        references: vec![Reference {
            array: 0,
            text: "A".into(),
            place: DiagLoc::Unknown,
            writes: false,
            bytes,
            subscripts: vec![subscript],
            address,
            loops: (0..trips.len()).collect(),
            guards: Vec::new(),
        }],
        launches: 1.0,
        ..Nest::default()
    }
}

/// The same counts address by address: conditions that always hold and depend on every loop
/// keep from taking anything together.
fn enumerated(n: &Nest, mapping: &Mapping, m: &Machine) -> Counts {
    let mut n = n.clone();
    for l in 0..n.loops.len() {
        n.references[0].guards.push(Guard {
            value: Affine::of_loop(l, 1),
            equal: false,
        });
    }
    count_within(&n, mapping, &n.references[0], m, Effort::ALL)
}

#[test]
fn by_residue_is_as_enumerated() {
    let m = by_name("sm_90").unwrap();
    let mut r = Random(7);
    for _ in 0..150 {
        let parallel = 1 + r.below(3) as usize;
        let depth = parallel + r.below(3) as usize;
        let trips: Vec<i64> = (0..depth).map(|_| 1 + r.below(9)).collect();
        let terms: Vec<i64> = (0..depth).map(|_| r.below(70) - 20).collect();
        let bytes = [1, 2, 4, 8, 16][r.below(5) as usize];
        let mut n = nest(&trips, parallel, bytes, &terms, r.below(50) - 10);
        if r.below(3) == 0 {
            n.arrays[0].space = Space::Shared;
        }
        let sizes = [1, 2, 3, 4, 8, 16, 32];
        let block: Vec<u32> = (0..3).map(|_| sizes[r.below(7) as usize]).collect();
        let mapping = Mapping::default_rule(&n, &block);
        n.check().unwrap();
        let fast = count(&n, &mapping, &n.references[0], m);
        assert_eq!(fast, enumerated(&n, &mapping, m), "{n:?} {mapping:?}");
        let all: i64 = trips.iter().product();
        assert_eq!((fast.lanes, fast.exact), (all as f64, true));
    }
}

#[test]
fn triangles_are_as_enumerated() {
    let m = by_name("sm_90").unwrap();
    let mut r = Random(11);
    let mut different = 0;
    for _ in 0..150 {
        let parallel = 1 + r.below(2) as usize;
        let depth = parallel + 1 + r.below(2) as usize;
        let trips: Vec<i64> = (0..depth).map(|_| 1 + r.below(16)).collect();
        let terms: Vec<i64> = (0..depth).map(|_| r.below(70) - 20).collect();
        let mut n = nest(&trips, parallel, 1 << r.below(5), &terms, r.below(50));
        for l in parallel..depth {
            let bound = &mut n.loops[l].uppers[0];
            bound.span.constant = r.below(30) - 10;
            bound.step = 1 + r.below(3);
            let of = Affine::of_loop(r.below(l as u64) as usize, r.below(7) - 3);
            bound.span = bound.span.plus(&of, 1).unwrap();
        }
        if r.below(2) == 0 {
            let value = Affine::of_loop(r.below(depth as u64) as usize, 1);
            let value = value.plus(&Affine::constant(r.below(12)), -1).unwrap();
            n.references[0].guards.push(Guard {
                value,
                equal: false,
            });
        }
        let sizes = [1, 2, 4, 8, 16, 32];
        let block: Vec<u32> = (0..2).map(|_| sizes[r.below(6) as usize]).collect();
        let mapping = Mapping::default_rule(&n, &block);
        n.check().unwrap();
        let fast = count_within(&n, &mapping, &n.references[0], m, Effort::ALL);
        assert_eq!(fast, enumerated(&n, &mapping, m), "{n:?} {mapping:?}");
        different += usize::from(fast.lanes > 0.0 && !fast.exact);
    }
    assert!(different > 30, "{different}");
}

/// What is chosen of large triangles stands for the rest: `k` up to `i`, which runs along x
/// or along y, of `A[i][k]`, `B[k][j]` and `C[i][j]`.
#[test]
fn large_triangles_are_sampled_well() {
    let m = by_name("sm_90").unwrap();
    let lanes = 4000.0 * 3999.0 / 2.0 * 256.0;
    let groups = (0..125).map(|g| f64::from(32 * g + 31));
    let longest = groups.sum::<f64>() * 256.0;
    for (terms, axes, sectors) in [
        ([4000, 0, 1], [0, 1], lanes),
        ([4000, 0, 1], [1, 0], lanes / 32.0),
        ([0, 1, 4000], [0, 1], longest),
        ([0, 1, 4000], [1, 0], lanes / 4.0),
        ([4000, 1, 0], [0, 1], lanes),
        ([4000, 1, 0], [1, 0], lanes / 4.0),
    ] {
        let mut n = nest(&[4000, 256, 4000], 2, 8, &terms, 0);
        n.loops[2].uppers[0].span = Affine::of_loop(0, 1);
        n.check().unwrap();
        let mapping = Mapping {
            axes: axes.to_vec(),
            block: [32, 8, 1],
        };
        let c = count(&n, &mapping, &n.references[0], m);
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 0.005;
        assert!(near(c.lanes, lanes) && near(c.sectors, sectors), "{c:?}");
    }
}

#[test]
fn large_grids_are_counted_at_once() {
    let m = by_name("sm_90").unwrap();
    let n = nest(&[100_000, 100_000, 1000], 2, 8, &[100_000, 1, 0], 0);
    let mapping = Mapping::default_rule(&n, &[]);
    let c = count(&n, &mapping, &n.references[0], m);
    // 3125 warps in a row of blocks, of 256 bytes each; rows start at whole sectors.
    assert_eq!(
        (c.requests, c.sectors, c.exact),
        (3125e8, 8.0 * 3125e8, true)
    );
}

#[test]
fn tiles_change_which_thread_does_what_and_not_what_is_done() {
    let m = by_name("sm_90").unwrap();
    let counts = |kind, size| {
        let mut n = nest(&[1001, 3], 1, 4, &[1, 0], 0);
        n.tile(0, size, kind).unwrap();
        n.check().unwrap();
        let mapping = Mapping::default_rule(&n, &[128]);
        count(&n, &mapping, &n.references[0], m)
    };
    for kind in [TileKind::Blocked, TileKind::Cyclic, TileKind::Inside] {
        for size in [1, 2, 4, 7, 1001, 2000] {
            assert_eq!(counts(kind, size).lanes, 3003.0, "{kind:?} {size}");
        }
    }
    // Threads that do four neighbours are 16 bytes apart; cyclic ones stay neighbours.
    let of = |c: Counts| c.sectors / c.requests;
    assert!(of(counts(TileKind::Blocked, 4)) > 15.0);
    assert!(of(counts(TileKind::Cyclic, 4)) < 5.0);
    let mut n = nest(&[10], 1, 4, &[1], 0);
    n.loops.push(Loop::of_trips("k", 3));
    assert!(n.tile(1, 2, TileKind::Blocked).is_err());
}

#[test]
fn what_is_too_much_to_enumerate_is_sampled() {
    let m = by_name("sm_90").unwrap();
    let mut n = nest(&[4000, 4000, 100], 2, 8, &[4000, 1, 0], 0);
    // Above the diagonal.
    n.references[0].guards.push(Guard {
        value: Affine {
            terms: vec![(0, -1), (1, 1)],
            constant: 0,
        },
        equal: false,
    });
    let mapping = Mapping::default_rule(&n, &[]);
    let c = count(&n, &mapping, &n.references[0], m);
    let half = 4000.0 * 4001.0 / 2.0 * 100.0;
    assert!(!c.exact && (c.lanes / half - 1.0).abs() < 0.1, "{c:?}");
}

#[test]
fn nests_that_are_none_are_refused() {
    let mut n = nest(&[1 << 40, 1 << 40], 2, 8, &[1 << 30, 1], 0);
    assert!(n.check().is_err());
    n = nest(&[4], 1, 8, &[1], 0);
    n.references[0].array = 1;
    assert!(n.check().is_err());
    n = nest(&[4], 1, 8, &[1], 0);
    n.loops[0].uppers[0].span = Affine::of_loop(0, 1);
    assert!(n.check().is_err());
}

/// Elements that are joined, and passes of a request, for 32 threads along the first loop.
fn made(n: &Nest) -> (i64, f64) {
    let mapping = Mapping {
        axes: vec![0],
        block: [32, 1, 1],
    };
    let m = by_name("sm_90").unwrap();
    let n = Nest {
        optimised: true,
        ..n.clone()
    };
    let how = joined(&n, &n.references[0], &mapping.axes);
    let passes = passes(&n, &mapping, &n.references[0], &how, m);
    (how.elements, passes)
}

#[test]
fn wide_accesses_pass_in_parts() {
    // Whole lines, of floats and of doubles.
    assert_eq!(made(&nest(&[1024], 1, 4, &[1], 0)), (1, 1.0));
    assert_eq!(made(&nest(&[1024], 1, 8, &[1], 0)), (1, 2.0));
    assert_eq!(made(&nest(&[1024], 1, 4, &[1], 1)), (1, 2.0));
    // Rows of doubles, two elements together: eight lanes at once, each with its line.
    assert_eq!(made(&nest(&[1024, 256], 1, 8, &[256, 1], 0)), (2, 32.0));
    // All lanes the same row.
    assert_eq!(made(&nest(&[1024, 256], 1, 8, &[0, 1], 0)), (2, 4.0));
    // Rows that are not aligned for two.
    assert_eq!(made(&nest(&[1024, 256], 1, 8, &[255, 1], 0)).0, 1);
    assert_eq!(made(&nest(&[1024, 256], 1, 8, &[256, 1], 1)).0, 1);
    // Four floats that a thread does one after another.
    assert_eq!(made(&nest(&[1024, 4], 1, 4, &[4, 1], 0)), (4, 4.0));
}

#[test]
fn iterations_far_apart_are_runs() {
    let n = nest(&[256, 4], 1, 4, &[1, 1 << 20], 0);
    let touched = |extents| sectors(&n, 0, None, &extents, 32.0);
    assert_eq!(touched(vec![256.0, 1.0]), 32.0);
    assert_eq!(touched(vec![256.0, 4.0]), 128.0);
}
