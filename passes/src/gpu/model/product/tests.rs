use super::tiles::{Slabs, schedule, slabs};
use super::*;
use crate::gpu::model::TermKind;
use terrace_ir::Context;
use terrace_machine::by_name;

fn factor(side: usize, along_k: bool, pitch: i64) -> Factor {
    Factor {
        array: ["A", "B"][side].into(),
        text: ["A[i][k]", "B[k][j]"][side].into(),
        side,
        bytes: 8,
        along_k,
        k_last: along_k,
        pitch,
        vector: 2,
    }
}

/// As `gpu-map-contractions` makes large products of f64 for sm_90.
fn gemm(m: i64, n: i64, k: i64) -> Product {
    Product {
        unit: Unit::Doubles([16, 8, 8]),
        tile: [128, 128],
        warps: [2, 4],
        depth: 16,
        stages: 4,
        group: 8,
        shared_bytes: 149_504,
        rows: [0, m],
        cols: [0, n],
        reach: [Line::constant(0), Line::constant(k)],
        inside: Vec::new(),
        last_first: false,
        factors: vec![factor(0, true, 20), factor(1, false, 132)],
        result: Stored {
            array: "C".into(),
            text: "C[i][j]".into(),
            bytes: 8,
            sum_bytes: 8,
            read_before: true,
            read_behind: false,
            stores: 1,
        },
        other: None,
    }
}

fn us(p: &Product, kind: TermKind) -> f64 {
    let cost = predict(p, by_name("sm_90").unwrap()).unwrap();
    let found = cost.terms.iter().find(|t| t.kind == kind);
    found.map_or(0.0, |t| t.us)
}

/// 1024 blocks are 8 for the fullest of 132 multiprocessors, where 7.76 are the mean; a block
/// more is 9.
#[test]
fn the_fullest_multiprocessor_counts() {
    let flops = 2.0 * 4096f64.powi(3);
    let full = us(&gemm(4096, 4096, 4096), TermKind::Matrix);
    let mean = flops / 66.7e6;
    assert!(
        (full / mean - 8.0 * 132.0 / 1024.0).abs() < 1e-3,
        "{full} {mean}"
    );
    let row_more = us(&gemm(4097, 4096, 4096), TermKind::Matrix);
    assert_eq!((row_more / full * 8.0).round(), 8.0);
    let more = us(&gemm(4096 + 128, 4096, 4096), TermKind::Matrix);
    assert_eq!(more, row_more);
    let next = us(&gemm(4096 + 256, 4096, 4096), TermKind::Matrix);
    assert!((next / full - 9.0 / 8.0).abs() < 1e-3, "{next}");
}

/// Of a triangle about half of the blocks end at once; its elements are counted.
#[test]
fn triangles_have_half_the_blocks() {
    let mut p = gemm(1000, 1000, 64);
    p.inside = vec![Line {
        constant: 0,
        row: 1,
        col: -1,
    }];
    assert_eq!(elements(&p), 1000.0 * 1001.0 / 2.0);
    let blocks = schedule(&p, 132, 1, &|s| f64::from(u8::from(s.is_some()))).unwrap();
    assert_eq!((blocks.all, blocks.busy), (64.0, 36.0));
    assert_eq!(blocks.whole, 36.0 * 4.0);
    // Against each element.
    for (constant, row, col) in [
        (3, 1, -1),
        (-7, 1, -1),
        (40, -1, -1),
        (2, 0, -1),
        (-5, 1, 0),
        (1, -1, 1),
    ] {
        let mut p = gemm(37, 29, 64);
        (p.rows, p.cols) = ([2, 39], [1, 30]);
        p.inside = vec![Line { constant, row, col }];
        let places = (2..39).flat_map(|r| (1..30).map(move |c| (r, c)));
        let all = places
            .filter(|(r, c)| constant + row * r + col * c >= 0)
            .count();
        assert_eq!(elements(&p), all as f64, "{constant} {row} {col}");
    }
}

/// Where k ends at the row, slabs in front of the first row's end are whole, and those up to
/// the last row's are not.
#[test]
fn ragged_slabs_are_those_in_which_rows_end() {
    let mut p = gemm(256, 128, 0);
    p.reach[1] = Line {
        constant: 0,
        row: 1,
        col: 0,
    };
    let of = |m| slabs(&p, [m, 0]).unwrap();
    // Row 127 has 127 numbers k, and row 0 none.
    assert_eq!(
        of(0),
        Slabs {
            whole: 0,
            ragged: 8
        }
    );
    assert_eq!(
        of(1),
        Slabs {
            whole: 8,
            ragged: 8
        }
    );
    // And where k begins behind the row.
    p.reach = [
        Line {
            constant: 1,
            row: 1,
            col: 0,
        },
        Line::constant(256),
    ];
    let of = |m| slabs(&p, [m, 0]).unwrap();
    assert_eq!(
        of(0),
        Slabs {
            whole: 8,
            ragged: 8
        }
    );
    assert_eq!(
        of(1),
        Slabs {
            whole: 0,
            ragged: 8
        }
    );
}

/// Lines are longer than their data so that fragments of f64 take two passes, as 256 bytes
/// have to; without that they take more.
#[test]
fn bank_conflicts_are_those_of_the_layout() {
    let m = by_name("sm_90").unwrap();
    let padded = gemm(4096, 4096, 4096);
    let work = shared::of_slab(&padded, &padded.factors, m);
    assert_eq!(work.passes, 2.0 * work.loads);
    assert_eq!(work.copy_passes, 4.0 * work.copies);
    let mut plain = padded.clone();
    plain.factors[0].pitch = 16;
    let conflicts = shared::of_slab(&plain, &plain.factors, m);
    assert!(conflicts.passes > 1.5 * work.passes, "{conflicts:?}");
}

#[test]
fn too_many_blocks_are_no_answer() {
    let m = by_name("sm_90").unwrap();
    let why = predict(&gemm(1 << 20, 1 << 20, 16), m).unwrap_err();
    assert_eq!(why, "it has more than 4194304 blocks");
}

/// What is left on a launch is read again, and sizes by any of their names are found.
#[test]
fn notes_are_read_again() {
    let ctx = Context::new();
    let form = |constant: i64, names: &str| Form {
        line: Line::constant(constant),
        sizes: if names.is_empty() {
            Vec::new()
        } else {
            vec![(names.into(), 1)]
        },
    };
    let p = gemm(300, 200, 100);
    let note = Note {
        unit: p.unit,
        tile: p.tile,
        warps: p.warps,
        depth: p.depth,
        stages: p.stages,
        group: p.group,
        shared_bytes: i64::from(p.shared_bytes),
        last_first: false,
        names: ["i", "j", "k"].map(str::to_string),
        ranges: [
            [form(0, ""), form(0, "m arg1")],
            [form(0, ""), form(0, "n B.1")],
            [form(0, ""), form(-1, "k")],
        ],
        outer: None,
        inside: Vec::new(),
        factors: (p.factors.iter().zip(["k", "n B.1"]))
            .map(|(f, end)| NoteFactor {
                factor: f.clone(),
                end: form(0, end),
            })
            .collect(),
        result: p.result.clone(),
        choice: None,
    };
    let read = Note::read(&ctx, note.attr(&ctx)).unwrap();
    assert_eq!(read, note);
    let sizes = |all: &[(&str, i64)]| -> Vec<(String, i64)> {
        all.iter().map(|(n, v)| (n.to_string(), *v)).collect()
    };
    let known = sizes(&[("arg1", 300), ("B.1", 200), ("k", 101)]);
    let mut expected = p;
    // Rows of 101 elements are not aligned, so that nothing is copied by vectors.
    expected.factors.iter_mut().for_each(|f| f.vector = 1);
    assert_eq!(read.numbers(&known), Ok(expected));
    let wants = read.numbers(&sizes(&[("n", 200)])).unwrap_err();
    assert_eq!(wants, ["m", "k"]);
}
