//! Buffers: offsets, text, and the choice of a swizzle.

#[path = "support/buffers.rs"]
mod buffers;
mod support;

use buffers::{any_memory, counted, of_a_warp};
use std::collections::BTreeSet;
use terrace_layout::{Digit, Layout, Memory, Place, Resource, bank_conflicts, choose_swizzle};
use terrace_lit::random::Random;

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

#[test]
fn offsets_are_different_and_within_the_slot() {
    let mut rng = Random(31);
    for _ in 0..2000 {
        let rank = rng.between(0, 3) as usize;
        let shape: Vec<i64> = (0..rank).map(|_| rng.between(1, 9)).collect();
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
    let mut rng = Random(34);
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
