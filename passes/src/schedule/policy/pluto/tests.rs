//! Schedules of small programs whose best ones are known from the literature.

use super::problem::Statement;
use super::tree::Band;
use super::{Node, Problem, for_kernels, schedule};
use terrace_presburger::{Conjunct, Effort, Int, Space};

fn ints(values: &[i64]) -> Vec<Int> {
    values.iter().map(|v| Int::new(*v)).collect()
}

fn problem(params: usize, dims: &[usize]) -> Problem {
    let statement = |d: &usize| Statement {
        dims: *d,
        arrays: vec![0],
    };
    Problem {
        params,
        statements: dims.iter().map(statement).collect(),
        dependences: Vec::new(),
        effort: Effort::new(super::problem::MAX_STEPS),
    }
}

/// Rows over (parameters, source, sink, 1): `== 0`, then `>= 0`.
fn depend(p: &mut Problem, source: usize, sink: usize, equal: &[&[i64]], at_least: &[&[i64]]) {
    let space = Space::map(p.params, p.statements[source].dims, p.statements[sink].dims);
    let mut c = Conjunct::universe(space);
    for r in equal {
        let (constant, row) = r.split_last().expect("a constant");
        c.add_equality(&ints(row), Int::new(*constant));
    }
    for r in at_least {
        let (constant, row) = r.split_last().expect("a constant");
        c.add_inequality(&ints(row), Int::new(*constant));
    }
    assert!(p.add_dependence(source, sink, &c));
}

fn rows(b: &Band, statement: usize) -> Vec<Vec<i64>> {
    let small = |r: &Vec<Vec<Int>>| {
        let all = r[statement].iter();
        all.map(|v| v.to_i64().expect("small")).collect()
    };
    b.rows.iter().map(small).collect()
}

fn only_band(n: &Node) -> &Band {
    match n {
        Node::Band(b, child) if child.bands().is_empty() => b,
        other => panic!("not one band: {other:?}"),
    }
}

#[test]
fn matrix_product_is_one_band_with_two_parallel_loops() {
    let mut p = problem(1, &[3]);
    // (i, j, k) -> (i, j, k + 1), all from 0 to below n.
    let same = [
        &[0, 1, 0, 0, -1, 0, 0, 0][..],
        &[0, 0, 1, 0, 0, -1, 0, 0],
        &[0, 0, 0, 1, 0, 0, -1, 1],
    ];
    let inside = [
        &[0, 1, 0, 0, 0, 0, 0, 0][..],
        &[1, -1, 0, 0, 0, 0, 0, -1],
        &[0, 0, 1, 0, 0, 0, 0, 0],
        &[1, 0, -1, 0, 0, 0, 0, -1],
        &[0, 0, 0, 1, 0, 0, 0, 0],
        &[1, 0, 0, 0, 0, 0, -1, -1],
    ];
    depend(&mut p, 0, 0, &same, &inside);
    let tree = schedule(&p).expect("a schedule");
    let b = only_band(&tree);
    assert_eq!(rows(b, 0), [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]);
    assert_eq!(b.coincident, [true, true, false]);
}

/// `depth` loops over 0 <= x < n, and dependences of constant distance.
fn stencil(p: &mut Problem, source: usize, sink: usize, distance: &[i64]) {
    let d = distance.len();
    let columns = 1 + 2 * d + 1;
    let (mut equal, mut at_least) = (Vec::new(), Vec::new());
    for (x, by) in distance.iter().enumerate() {
        let mut e = vec![0; columns];
        (e[1 + x], e[1 + d + x], e[columns - 1]) = (1, -1, *by);
        equal.push(e);
        for side in [1 + x, 1 + d + x] {
            let (mut low, mut high) = (vec![0; columns], vec![0; columns]);
            low[side] = 1;
            (high[0], high[side], high[columns - 1]) = (1, -1, -1);
            at_least.extend([low, high]);
        }
    }
    let equal: Vec<&[i64]> = equal.iter().map(Vec::as_slice).collect();
    let at_least: Vec<&[i64]> = at_least.iter().map(Vec::as_slice).collect();
    depend(p, source, sink, &equal, &at_least);
}

#[test]
fn seidel_is_skewed_into_one_band() {
    let mut p = problem(1, &[3]);
    for d in [
        [0, 0, 1],
        [0, 1, -1],
        [0, 1, 0],
        [0, 1, 1],
        [1, -1, -1],
        [1, -1, 1],
        [1, 0, 0],
    ] {
        stencil(&mut p, 0, 0, &d);
    }
    let tree = schedule(&p).expect("a schedule");
    let b = only_band(&tree);
    assert_eq!(b.rows.len(), 3);
    // The published transformation: (t, t + i, 2 t + i + j).
    assert_eq!(rows(b, 0), [[1, 0, 0, 0], [1, 1, 0, 0], [2, 1, 1, 0]]);
}

#[test]
fn jacobi_with_a_copy_back_is_shifted_and_skewed() {
    // B[i] = f(A[i-1], A[i], A[i+1]); then A[i] = B[i].
    let mut p = problem(1, &[2, 2]);
    for d in [-1, 0, 1] {
        stencil(&mut p, 1, 0, &[1, d]);
        stencil(&mut p, 0, 1, &[0, d]);
    }
    stencil(&mut p, 0, 0, &[1, 0]);
    stencil(&mut p, 1, 1, &[1, 0]);
    let tree = schedule(&p).expect("a schedule");
    let Node::Band(b, child) = &tree else {
        panic!("no band: {tree:?}");
    };
    // Published: S1 (t, 2 t + i), S2 (t, 2 t + i + 1), in this order inside.
    assert_eq!(rows(b, 0), [[1, 0, 0], [2, 1, 0]]);
    assert_eq!(rows(b, 1), [[1, 0, 0], [2, 1, 1]]);
    assert!(child.bands().is_empty());
}

#[test]
fn parallel_loops_are_not_given_up_for_fusion() {
    // S0: a[i] = .., S1: b[i] = a[n - 1 - i]: fused no loop would be parallel.
    let mut p = problem(1, &[1, 1]);
    let reversed: &[&[i64]] = &[&[1, -1, -1, -1]];
    let inside: &[&[i64]] = &[&[0, 1, 0, 0], &[1, -1, 0, -1]];
    depend(&mut p, 0, 1, reversed, inside);
    let tree = schedule(&p).expect("a schedule");
    let Node::Sequence(parts) = &tree else {
        panic!("fused: {tree:?}");
    };
    assert_eq!(parts.len(), 2);
    assert!(parts.iter().all(|x| only_band(x).parallel == [true]));
}

#[test]
fn loops_that_share_data_are_fused() {
    // S0: a[i] = .., S1: b[i] = a[i].
    let mut p = problem(1, &[1, 1]);
    stencil(&mut p, 0, 1, &[0]);
    let tree = schedule(&p).expect("a schedule");
    let Node::Band(b, child) = &tree else {
        panic!("not fused: {tree:?}");
    };
    assert_eq!(b.parallel, [true]);
    assert_eq!(child.statements(), [0, 1]);
}

/// lu's kernel: S0(k, j): a[k][j] /= a[k][k], j > k; S1(k, i, j): a[i][j] -= a[i][k] a[k][j], i, j > k.
fn triangular_update() -> Problem {
    let mut p = problem(1, &[2, 3]);
    // S0(k, j) -> S1(k, i, j).
    depend(
        &mut p,
        0,
        1,
        &[&[0, 1, 0, -1, 0, 0, 0], &[0, 0, 1, 0, 0, -1, 0]],
        &[
            &[0, 1, 0, 0, 0, 0, 0],
            &[0, -1, 1, 0, 0, 0, -1],
            &[1, 0, -1, 0, 0, 0, -1],
            &[0, 0, 0, -1, 1, 0, -1],
            &[1, 0, 0, 0, -1, 0, -1],
        ],
    );
    // S1(k, i, j) -> S1(k + 1, i, j).
    depend(
        &mut p,
        1,
        1,
        &[
            &[0, 1, 0, 0, -1, 0, 0, 1],
            &[0, 0, 1, 0, 0, -1, 0, 0],
            &[0, 0, 0, 1, 0, 0, -1, 0],
        ],
        &[
            &[0, 1, 0, 0, 0, 0, 0, 0],
            &[0, 0, 0, 0, -1, 1, 0, -1],
            &[0, 0, 0, 0, -1, 0, 1, -1],
            &[1, 0, 0, 0, 0, -1, 0, -1],
            &[1, 0, 0, 0, 0, 0, -1, -1],
        ],
    );
    // S1(k, i, j) -> S0(i, j) where i = k + 1.
    depend(
        &mut p,
        1,
        0,
        &[
            &[0, 0, 1, 0, -1, 0, 0],
            &[0, 0, 0, 1, 0, -1, 0],
            &[0, 1, -1, 0, 0, 0, 1],
        ],
        &[
            &[0, 1, 0, 0, 0, 0, 0],
            &[0, 0, -1, 1, 0, 0, -1],
            &[1, 0, 0, -1, 0, 0, -1],
        ],
    );
    p
}

#[test]
fn a_triangular_update_is_one_band() {
    let p = triangular_update();
    let tree = schedule(&p).expect("a schedule");
    let Node::Band(b, _) = &tree else {
        panic!("no band: {tree:?}");
    };
    assert_eq!(b.rows.len(), 3, "{tree:?}");
}

#[test]
fn kernels_of_a_triangular_update_are_launched_from_its_outer_loop() {
    let mut p = triangular_update();
    // S1(k, i, k + 1) -> S1(k + 1, i, j): the column that the update reads.
    depend(
        &mut p,
        1,
        1,
        &[
            &[0, 1, 0, 0, -1, 0, 0, 1],
            &[0, 0, 0, 1, -1, 0, 0, 0],
            &[0, 0, 1, 0, 0, -1, 0, 0],
        ],
        &[
            &[0, 1, 0, 0, 0, 0, 0, 0],
            &[0, 0, 0, 0, -1, 1, 0, -1],
            &[0, 0, 0, 0, -1, 0, 1, -1],
            &[1, 0, 0, 0, 0, -1, 0, -1],
            &[1, 0, 0, 0, 0, 0, -1, -1],
        ],
    );
    let tree = for_kernels(&p).expect("a schedule");
    let Node::Band(outer, child) = &tree else {
        panic!("no band: {tree:?}");
    };
    assert_eq!(outer.parallel, [false]);
    assert_eq!(rows(outer, 0), [[1, 0, 0]]);
    assert_eq!(rows(outer, 1), [[1, 0, 0, 0]]);
    let Node::Sequence(parts) = &**child else {
        panic!("not apart: {tree:?}");
    };
    assert_eq!(parts[0].statements(), [0]);
    assert_eq!(parts[1].statements(), [1]);
    // One loop of the first, two of the second, all parallel.
    assert_eq!(tree.parallel_loops(), 3);
    assert_eq!(tree.points(), 2);
    assert!(schedule(&p).expect("a schedule").parallel_loops() < 3);
}

#[test]
fn kernels_of_seidel_are_wavefronts_of_two_loops() {
    let mut p = problem(1, &[3]);
    for d in [
        [0, 0, 1],
        [0, 1, -1],
        [0, 1, 0],
        [0, 1, 1],
        [1, -1, -1],
        [1, -1, 1],
        [1, 0, 0],
    ] {
        stencil(&mut p, 0, 0, &d);
    }
    let tree = for_kernels(&p).expect("a schedule");
    let bands = tree.bands();
    // What one after another runs at once goes forward along every dependence.
    assert_eq!(rows(bands[0], 0), [[4, 2, 1, 0]]);
    assert_eq!(tree.parallel_loops(), 2);
}
