//! Passes of shared memory and the widest access, against the definition.

#[path = "support/buffers.rs"]
mod buffers;
mod support;

use buffers::{any_memory, counted, is_access, of_a_warp};
use terrace_layout::{Layout, LayoutError, Memory, bank_conflicts, widest_access};
use terrace_lit::random::Random;

fn layout(text: &str) -> Layout {
    Layout::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn memory(text: &str) -> Memory {
    Memory::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn passes_by_rank_and_by_classes_are_those_of_the_definition() {
    let mut rng = Random(32);
    let (mut linear, mut other, mut wide) = (0, 0, 0);
    while linear < 1500 || other < 1500 {
        let l = of_a_warp(&mut rng);
        let m = any_memory(&mut rng, l.shape());
        let element_bytes = *rng.pick(&[1, 2, 4, 8, 16]);
        let vector = *rng.pick(&[1, 1, 2, 4, 8]);
        let passes = bank_conflicts(&l, &m, element_bytes, vector);
        if element_bytes * vector > 16 {
            assert!(passes.is_err());
            continue;
        }
        let Ok(passes) = passes else {
            let torn = m.xor().is_some_and(|x| 1 << x.base < vector);
            assert!(torn || !is_access(&l, &m, vector), "{l} {m} {vector}");
            continue;
        };
        assert!(is_access(&l, &m, vector), "{l} {m} {vector}");
        let counted = counted(&l, &m, element_bytes, vector);
        assert_eq!(passes, counted, "{l} {m} {element_bytes} {vector}");
        let f2 = l.to_f2();
        match f2.and_then(|f2| m.to_f2(f2.coordinate_bits())) {
            Some(_) => linear += 1,
            None => other += 1,
        }
        wide += usize::from(vector > 1);
    }
    assert!(wide > 300, "only {wide} accesses were wide");
}

#[test]
fn elements_outside_are_not_accessed() {
    // The upper half of the lanes is outside.
    let l = layout("<[16, 2], reg = [2 @ (0,1)], lane = [32 @ (1,0)]>");
    let m = memory("<order = [1, 0], pitch = [16, 1]>");
    let passes = bank_conflicts(&l, &m, 4, 1).unwrap();
    assert_eq!(passes, counted(&l, &m, 4, 1));
    assert_eq!((passes.worst, passes.total), (8, 16));
}

#[test]
fn known_passes() {
    let worst = |l: &str, m: &str, bytes, vector| {
        bank_conflicts(&layout(l), &memory(m), bytes, vector).map(|p| p.worst)
    };
    let row = "<order = [0], pitch = [1]>";
    let rows = "<order = [1, 0], pitch = [32, 1]>";
    let columns = "<[32, 32], reg = [32 @ (0,1)], lane = [32 @ (1,0)]>";
    assert_eq!(worst("<[32], lane = [32 @ (1)]>", row, 4, 1), Ok(1));
    assert_eq!(worst("<[32], lane = [32 @ (1)]>", row, 8, 1), Ok(2));
    assert_eq!(worst("<[32], lane = [32 @ (1)]>", row, 16, 1), Ok(4));
    assert_eq!(worst("<[32], lane = [32 @ (1)]>", row, 1, 1), Ok(1));
    assert_eq!(worst("<[32]>", row, 4, 1), Ok(1));
    assert_eq!(worst(columns, rows, 4, 1), Ok(32));
    assert_eq!(
        worst(columns, "<order = [1, 0], pitch = [33, 1]>", 4, 1),
        Ok(1)
    );
    assert_eq!(
        worst("<[416], reg = [13 @ (1)], lane = [32 @ (13)]>", row, 4, 1),
        Ok(1)
    );
    assert_eq!(
        worst("<[64], lane = [64 @ (1)]>", row, 4, 1)
            .unwrap_err()
            .to_string(),
        "32 lanes of a warp cannot be spread evenly over 64 lanes of the layout"
    );
    assert_eq!(
        worst(columns, rows, 3, 1),
        Err(LayoutError::Access { bytes: 3 })
    );
    assert_eq!(
        worst(columns, rows, 4, 0),
        Err(LayoutError::Access { bytes: 0 })
    );
    assert!(worst(columns, row, 4, 1).is_err());
    let far = "<order = [1, 0], pitch = [1099511627776, 1]>";
    assert!(worst("<[512, 1], reg = [512 @ (1,0)]>", far, 4, 1).is_err());
}

#[test]
fn the_widest_access_is_adjacent_and_aligned() {
    let mut rng = Random(33);
    for _ in 0..3000 {
        let l = of_a_warp(&mut rng);
        let fastest = rng.between(0, l.rank() as i64 - 1) as usize;
        let (alignment, bytes) = (
            *rng.pick(&[1, 2, 4, 8, 16, 32, 12]),
            *rng.pick(&[1, 2, 4, 8, 16]),
        );
        let widest = widest_access(&l, fastest, alignment, bytes);
        // An array whose rows are far apart, and as aligned as said, in elements.
        let fits = |vector: i64| {
            let size = vector * bytes;
            size <= 16 && alignment % size == 0 && {
                let mut order: Vec<usize> = (0..l.rank()).collect();
                order.swap(0, fastest);
                let mut pitch = vec![0; l.rank()];
                for (n, axis) in order.iter().enumerate() {
                    pitch[*axis] = 1i64 << (10 * n);
                }
                is_access(&l, &Memory::new(&order, &pitch, 1, None).unwrap(), vector)
            }
        };
        let wanted = [16, 8, 4, 2].into_iter().find(|v| fits(*v)).unwrap_or(1);
        assert_eq!(
            widest,
            wanted * bytes,
            "{l} along {fastest}, {alignment}, {bytes}"
        );
    }
    let cells = layout("<[416], reg = [13 @ (1)], lane = [32 @ (13)]>");
    assert_eq!(widest_access(&cells, 0, 16, 4), 4);
    assert_eq!(widest_access(&cells, 7, 16, 4), 4);
    let apart = layout("<[12], reg = [2 @ (1)], lane = [4 @ (3)]>");
    assert_eq!(widest_access(&apart, 0, 16, 4), 4);
    assert_eq!(
        widest_access(&layout("<[12], reg = [12 @ (1)]>"), 0, 16, 4),
        16
    );
    assert_eq!(
        widest_access(&layout("<[12], reg = [12 @ (1)]>"), 0, 16, 0),
        0
    );
}
