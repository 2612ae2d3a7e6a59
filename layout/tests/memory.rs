//! Buffers: offsets, passes, the widest access, and the choice of a swizzle.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use support::{Rng, covering, meaning, places};
use terrace_layout::{
    Digit, Layout, LayoutError, Memory, Passes, Place, Resource, Xor, bank_conflicts,
    choose_swizzle, widest_access,
};

fn layout(text: &str) -> Layout {
    Layout::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn memory(text: &str) -> Memory {
    Memory::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// All elements of a shape.
fn elements(shape: &[i64]) -> Vec<Vec<i64>> {
    let mut out = vec![Vec::new()];
    for extent in shape {
        out = (out.iter())
            .flat_map(|e: &Vec<i64>| (0..*extent).map(|n| [&e[..], &[n]].concat()))
            .collect();
    }
    out
}

fn any_memory(rng: &mut Rng, shape: &[i64]) -> Memory {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    rng.shuffle(&mut order);
    let pad = *rng.pick(&[0, 0, 1, 2, 4, 8]);
    let bits = rng.range(1, 3) as u32;
    let xor = Xor {
        bits,
        base: rng.range(0, 4) as u32,
        shift: rng.range(i64::from(bits), 6) as u32,
    };
    let xor = rng.chance(2).then_some(xor);
    let out = Memory::padded(shape, &order, pad).unwrap();
    out.with_xor(xor)
        .unwrap()
        .with_slots(rng.range(1, 4))
        .unwrap()
}

#[test]
fn offsets_are_different_and_within_the_slot() {
    let mut rng = Rng::new(31);
    for _ in 0..2000 {
        let rank = rng.range(0, 3) as usize;
        let shape: Vec<i64> = (0..rank).map(|_| rng.range(1, 9)).collect();
        let m = any_memory(&mut rng, &shape);
        assert!(m.fits(&shape), "{m} {shape:?}");
        let all = elements(&shape);
        let offsets: BTreeSet<i64> = all.iter().map(|e| m.offset(e)).collect();
        assert_eq!(offsets.len(), all.len(), "{m} {shape:?}");
        let size = m.slot_elements(&shape);
        assert!(
            offsets.iter().all(|o| (0..size).contains(o)),
            "{m} {shape:?}"
        );
        assert_eq!(Memory::parse(&m.to_string()), Ok(m));
    }
    assert!(!memory("<order = [1, 0], pitch = [7, 1]>").fits(&[2, 8]));
    assert!(memory("<order = [1, 0], pitch = [7, 1]>").fits(&[1, 8]));
    assert!(!memory("<order = [0], pitch = [1]>").fits(&[2, 8]));
}

#[test]
fn the_swizzle_of_128_bytes() {
    // Rows of 128 bytes: pieces of 16 bytes change places by the number of the row.
    let m = memory("<order = [1, 0], pitch = [128, 1], slots = 4, xor(3, 4, 3)>");
    assert_eq!(m.offset(&[3, 5]), 3 * 128 + 5 + 3 * 16);
    assert_eq!(m.offset(&[5, 17]), 5 * 128 + (4 * 16) + 1);
    assert_eq!(
        (m.slots(), m.order(), m.pitch()),
        (4, &[1, 0][..], &[128, 1][..])
    );
}

#[test]
fn memory_as_text() {
    let text = "<order = [1, 0], pitch = [136, 1], slots = 2, xor(3, 4, 3)>";
    assert_eq!(memory(text).to_string(), text);
    assert_eq!(
        memory("<order=[],pitch=[]>").to_string(),
        "<order = [], pitch = [], slots = 1>"
    );
    for (text, offset, wanted) in [
        ("<ordre", 1, "expected `order`, found `ordre`"),
        ("<order = [0] pitch", 13, "expected `,`, found `pitch`"),
        (
            "<order = [16]",
            10,
            "expected a dimension from 0 to 15, found `16`",
        ),
        (
            "<order = [0], pitch = [1], slot",
            27,
            "expected `slots` or `xor`, found `slot`",
        ),
        (
            "<order = [0], pitch = [1], xor(1, 2)",
            35,
            "expected `,`, found `)`",
        ),
        (
            "<order = [0], pitch = [1], xor(1, 2, 3), slots = 2>",
            41,
            "expected nothing more, found `slots`",
        ),
        (
            "<order = [0], pitch = [0]>",
            0,
            "expected a layout of memory, found one that is wrong: in a layout of memory, a \
             pitch must be from 1 to 2^40",
        ),
    ] {
        let error = Memory::parse(text).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("at offset {offset}: {wanted}"),
            "{text}"
        );
    }
    for wrong in [
        "<order = [0], pitch = [1, 2]>",
        "<order = [0, 0], pitch = [1, 2]>",
        "<order = [1, 0], pitch = [1, 2]>",
        "<order = [0], pitch = [1], slots = 0>",
        "<order = [0], pitch = [1], xor(0, 1, 1)>",
        "<order = [0], pitch = [1], xor(3, 1, 2)>",
        "<order = [0], pitch = [1], xor(3, 35, 3)>",
    ] {
        assert_eq!(Memory::parse(wrong).unwrap_err().offset, 0, "{wrong}");
    }
}

/// The passes by the definition: for each access of each warp, part after part, the most
/// different words that one bank has to give.
fn counted(l: &Layout, m: &Memory, element_bytes: i64, vector: i64) -> Passes {
    let bytes = element_bytes * vector;
    let parts = (bytes / 4).max(1);
    let mut out = Passes::default();
    for place in places(l) {
        if place.lane != 0 || place.reg % vector as usize != 0 {
            continue;
        }
        let mut passes = 0;
        for part in 0..parts {
            let mut banks: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
            for lane in part * 32 / parts..(part + 1) * 32 / parts {
                let at = place.with(Resource::Lane, lane as usize % l.size(Resource::Lane));
                let element = meaning(l, &at);
                if l.contains(&element) {
                    let first = m.offset(&element) * element_bytes / 4;
                    for word in first..first + parts {
                        banks.entry(word % 32).or_default().insert(word);
                    }
                }
            }
            passes += banks.values().map(|words| words.len()).max().unwrap_or(0) as u64;
        }
        out.worst = out.worst.max(passes);
        out.total += passes;
        out.accesses += 1;
    }
    out
}

/// Whether all accesses are adjacent and aligned, by the definition.
fn is_access(l: &Layout, m: &Memory, vector: i64) -> bool {
    l.size(Resource::Reg).is_multiple_of(vector as usize)
        && places(l).iter().all(|place| {
            let within = place.reg % vector as usize;
            let first = place.with(Resource::Reg, place.reg - within);
            let start = m.offset(&meaning(l, &first));
            start % vector == 0 && m.offset(&meaning(l, place)) == start + within as i64
        })
}

const GPU: [Resource; 4] = [Resource::Reg, Resource::Reg, Resource::Lane, Resource::Warp];

/// A layout with 32 lanes or some divisor of them.
fn of_a_warp(rng: &mut Rng) -> Layout {
    let shapes: [&[i64]; 8] = [
        &[64],
        &[32, 8],
        &[16, 16],
        &[16, 12],
        &[24, 8],
        &[4, 8, 8],
        &[8, 128],
        &[96],
    ];
    loop {
        let shape = *rng.pick(&shapes);
        let l = match rng.chance(2) {
            true => covering(rng, shape, &GPU),
            false => {
                // The registers first, as an access has them.
                let fastest = rng.range(0, shape.len() as i64 - 1) as usize;
                let mut order: Vec<usize> = (0..shape.len()).collect();
                order.swap(0, fastest);
                let vector = *rng.pick(&[1, 2, 4]);
                match Layout::blocked(shape, &order, vector, 64) {
                    Ok(l) => l,
                    Err(_) => continue,
                }
            }
        };
        if 32 % l.size(Resource::Lane) == 0 {
            return l;
        }
    }
}

#[test]
fn passes_by_rank_and_by_classes_are_those_of_the_definition() {
    let mut rng = Rng::new(32);
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
    let mut rng = Rng::new(33);
    for _ in 0..3000 {
        let l = of_a_warp(&mut rng);
        let fastest = rng.range(0, l.rank() as i64 - 1) as usize;
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
    assert_eq!(
        widest_access(&layout("<[12], reg = [12 @ (1)]>"), 0, 16, 4),
        16
    );
    assert_eq!(
        widest_access(&layout("<[12], reg = [12 @ (1)]>"), 0, 16, 0),
        0
    );
}

#[test]
fn a_swizzle_rids_a_transpose_of_conflicts() {
    let write = Layout::blocked(&[64, 64], &[1, 0], 4, 256).unwrap();
    let read = Layout::blocked(&[64, 64], &[0, 1], 4, 256).unwrap();
    for element_bytes in [1, 2, 4, 8] {
        let packed = 64 * 64 * element_bytes;
        let best = choose_swizzle(&write, &read, element_bytes, 2 * packed).unwrap();
        let plain = Memory::padded(&[64, 64], &[1, 0], 0).unwrap();
        let before = bank_conflicts(&read, &plain, element_bytes, 1).unwrap();
        assert!(best.read.total < before.total, "{best:?}");
        // Either side alone could not do with less than this for each word.
        let words = (packed / 128) as u64;
        assert!(best.write.total >= words && best.read.total >= words.min(best.read.accesses));
        assert_eq!(
            best.bytes,
            best.memory.slot_elements(&[64, 64]) * element_bytes
        );
    }
    let best = choose_swizzle(&write, &read, 4, 1 << 20).unwrap();
    // The write is without conflicts. The read wants 16 rows, which 3 bits tell apart by eights.
    assert_eq!((best.write.total, best.read.total), (128, 256), "{best:?}");
    assert_eq!(best.bytes, 64 * 64 * 4);
    assert!(best.memory.xor().is_some(), "{best:?}");
    let error = choose_swizzle(&write, &read, 4, 64 * 64 * 4 - 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the bytes of a buffer for the tile must not be more than 16383"
    );
    // Where nothing collides, nothing is swizzled.
    let same = choose_swizzle(&write, &write, 4, 1 << 20).unwrap();
    assert_eq!(
        (same.memory.xor(), same.memory.pitch()),
        (None, &[64, 1][..])
    );
    assert_eq!((same.write_vector, same.read_vector), (4, 4));
    assert!(choose_swizzle(&write, &layout("<[64]>"), 4, 1 << 20).is_err());
    assert!(choose_swizzle(&write, &read, 3, 1 << 20).is_err());
}

#[test]
fn choices_are_what_they_are_said_to_cost() {
    let mut rng = Rng::new(34);
    for _ in 0..40 {
        let (write, mut read) = (of_a_warp(&mut rng), of_a_warp(&mut rng));
        while read.shape() != write.shape() {
            read = of_a_warp(&mut rng);
        }
        let element_bytes = *rng.pick(&[1, 2, 4, 8, 16]);
        let best = choose_swizzle(&write, &read, element_bytes, 1 << 20).unwrap();
        for (l, passes, vector) in [
            (&write, best.write, best.write_vector),
            (&read, best.read, best.read_vector),
        ] {
            assert_eq!(
                passes,
                counted(l, &best.memory, element_bytes, vector),
                "{l} {best:?}"
            );
        }
        // The plain buffer was among the candidates.
        let order: Vec<usize> = (0..write.rank()).rev().collect();
        let plain = Memory::padded(write.shape(), &order, 0).unwrap();
        let [w, r] = [&write, &read].map(|l| counted(l, &plain, element_bytes, 1).total);
        assert!(
            best.write.total + best.read.total <= w + r,
            "{write} {read} {best:?}"
        );
    }
    let scalar = Layout::new(&[], [(Resource::Lane, Digit::copies(32, 0))]).unwrap();
    let best = choose_swizzle(&scalar, &scalar, 4, 4).unwrap();
    assert_eq!((best.bytes, best.write.total), (4, 1));
    assert_eq!(scalar.element(&Place::default()).len(), 0);
}
