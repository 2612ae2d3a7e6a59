//! Generated loops are run, and what they run is compared with the enumerated instances.

use super::{Node, Options, ScanError, Scheduled, scan};
use terrace_lit::random::Random;
use terrace_presburger::{Conjunct, Int, Relation, Space};

/// A statement from isl's notation.
fn statement(domain: &str, schedule: &str) -> Scheduled {
    let parse = |text: &str| match Relation::parse(text) {
        Ok(relation) => relation,
        Err(e) => panic!("{text}: {e:?}"),
    };
    Scheduled {
        domain: parse(domain),
        schedule: parse(schedule),
        parallel: Vec::new(),
    }
}

type Instance = (usize, Vec<i64>);

fn run(nodes: &[Node], params: &[i64]) -> Vec<Instance> {
    let mut order = Vec::new();
    let mut point = vec![0; 16];
    for n in nodes {
        n.execute(params, &mut point, &mut |s, v| order.push((s, v.to_vec())))
            .expect("values fit");
    }
    order
}

/// All integer points of a box of `dims` dimensions.
fn points(dims: usize, low: i64, high: i64) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for _ in 0..dims {
        let longer = |p: &Vec<i64>| (low..=high).map(|v| [&p[..], &[v]].concat()).collect();
        all = all
            .iter()
            .flat_map(|p| -> Vec<Vec<i64>> { longer(p) })
            .collect();
    }
    all
}

fn holds(r: &Relation, point: &[i64]) -> bool {
    let point: Vec<Int> = point.iter().map(|v| Int::new(*v)).collect();
    let is_in = |c: &Conjunct| c.contains(&point).expect("small");
    r.pieces().iter().any(is_in)
}

/// Runs the loops and compares: every instance once, in the order of times and at one
/// time in that of statements. Iterators lie in `low..=high`.
fn compare(
    statements: &[Scheduled],
    nodes: &[Node],
    params: &[i64],
    (low, high): (i64, i64),
) -> Result<(), String> {
    let timed = |(at, p): Instance| (time(&statements[at].schedule, params, &p), at, p);
    let mut found: Vec<_> = run(nodes, params).into_iter().map(timed).collect();
    let in_order = found.is_sorted_by_key(|(time, at, _)| (time.clone(), *at));
    found.sort();
    let wanted = expected(statements, params, low, high);
    match found == wanted && in_order {
        true => Ok(()),
        false => Err(format!(
            "parameters {params:?}, in order: {in_order}\nfound  {found:?}\nwanted {wanted:?}\n{nodes:#?}"
        )),
    }
}

/// The instances for these parameters in the order of their times.
fn expected(
    statements: &[Scheduled],
    params: &[i64],
    low: i64,
    high: i64,
) -> Vec<(Vec<i64>, usize, Vec<i64>)> {
    let mut all = Vec::new();
    for (at, s) in statements.iter().enumerate() {
        for p in points(s.domain.space().outputs, low, high) {
            if holds(&s.domain, &[params, &p].concat()) {
                all.push((time(&s.schedule, params, &p), at, p));
            }
        }
    }
    all.sort();
    all
}

/// The one time of an instance.
fn time(schedule: &Relation, params: &[i64], point: &[i64]) -> Vec<i64> {
    let fixed = [params, point].concat();
    let mut piece = schedule.clone();
    for (column, v) in fixed.iter().enumerate() {
        piece = piece.fix(column, &Int::new(*v));
    }
    let sample = |c: &Conjunct| c.sample().expect("small");
    let found = piece.pieces().iter().find_map(sample).expect("has a time");
    let times = &found[found.len() - schedule.space().outputs..];
    times.iter().map(|v| v.to_i64().expect("small")).collect()
}

fn check(statements: &[Scheduled], options: &Options, sizes: &[i64], low: i64, high: i64) {
    let params = statements[0].domain.space().params;
    let nodes = scan(params, statements, options).expect("can be scanned");
    for n in sizes {
        let values = vec![*n; params];
        compare(statements, &nodes, &values, (low, high)).unwrap_or_else(|e| panic!("{e}"));
    }
}

fn whole(dimensions: usize) -> Options {
    Options {
        whole: vec![true; dimensions],
        ..Options::default()
    }
}

const SIZES: [i64; 6] = [-1, 0, 1, 2, 5, 7];

#[test]
fn one_loop() {
    let s = [statement(
        "[n] -> { [i] : 0 <= i < n }",
        "[n] -> { [i] -> [i] }",
    )];
    check(&s, &Options::default(), &SIZES, -1, 8);
}

#[test]
fn a_triangle_transposed() {
    let s = [statement(
        "[n] -> { [i, j] : 0 <= i < n and 0 <= j <= i }",
        "[n] -> { [i, j] -> [j, i] }",
    )];
    check(&s, &Options::default(), &SIZES, -1, 8);
}

#[test]
fn skewed() {
    let s = [statement(
        "[n] -> { [t, i] : 0 <= t < n and 1 <= i < n }",
        "[n] -> { [t, i] -> [2t + i, t] }",
    )];
    check(&s, &Options::default(), &SIZES, -1, 8);
}

#[test]
fn a_schedule_that_is_not_unimodular() {
    let s = [statement(
        "[n] -> { [i, j] : 0 <= i < n and 0 <= j < n }",
        "[n] -> { [i, j] -> [2i + 1, 3j + i] }",
    )];
    check(&s, &Options::default(), &SIZES, -1, 8);
}

#[test]
fn fused_with_a_shift() {
    let s = [
        statement("[n] -> { [i] : 0 <= i < n }", "[n] -> { [i] -> [i, 0] }"),
        statement(
            "[n] -> { [i] : 0 <= i < n }",
            "[n] -> { [i] -> [i + 2, 1] }",
        ),
    ];
    check(&s, &Options::default(), &SIZES, -1, 8);
    check(&s, &whole(2), &SIZES, -1, 8);
}

#[test]
fn a_statement_before_and_behind_a_loop() {
    let s = [
        statement("[n] -> { [i] : 0 <= i < n }", "[n] -> { [i] -> [i, 0, 0] }"),
        statement(
            "[n] -> { [i, j] : 0 <= i < n and 0 <= j < i }",
            "[n] -> { [i, j] -> [i, 1, j] }",
        ),
        statement("[n] -> { [i] : 0 <= i < n }", "[n] -> { [i] -> [i, 2, 0] }"),
    ];
    check(&s, &Options::default(), &SIZES, -1, 8);
    check(&s, &whole(3), &SIZES, -1, 8);
}

#[test]
fn tiled() {
    let s = [statement(
        "[n] -> { [i, j] : 0 <= i < n and 0 <= j <= i }",
        "[n] -> { [i, j] -> [a, b, i, j] : 3a <= i < 3a + 3 and 2b <= j < 2b + 2 }",
    )];
    check(&s, &Options::default(), &SIZES, -1, 8);
}

#[test]
fn tiled_in_skewed_time() {
    let step = "[n] -> { [t, i] : 0 <= t < n and 1 <= i < n }";
    let at = |shift: i64, last: i64| {
        statement(
            step,
            &format!(
                "[n] -> {{ [t, i] -> [a, b, c, d, {last}] : c = t and d = 2t + i + {shift} and \
                 2a <= c < 2a + 2 and 3b <= d < 3b + 3 }}"
            ),
        )
    };
    let s = [at(0, 0), at(1, 1)];
    check(&s, &Options::default(), &[0, 1, 2, 5], 0, 6);
    check(&s, &whole(2), &[0, 1, 2, 5], 0, 6);
}

#[test]
fn strides() {
    let s = [
        statement(
            "[n] -> { [i] : 0 <= i < n and exists (e : i = 2e) }",
            "[n] -> { [i] -> [i] }",
        ),
        statement(
            "[n] -> { [i] : 0 <= i < n and exists (e : i = 4e + 2) }",
            "[n] -> { [i] -> [i] }",
        ),
    ];
    check(&s, &Options::default(), &SIZES, -1, 12);
    let nodes = scan(1, &s, &Options::default()).expect("can be scanned");
    let by_two = |n: &Node| matches!(n, Node::Loop { step: 2, .. });
    assert!(nodes.iter().any(by_two), "{nodes:#?}");
}

#[test]
fn a_stride_from_a_parameter() {
    let s = [statement(
        "[n] -> { [i] : -5 <= i <= 7 and exists (e : i = 3e + n) }",
        "[n] -> { [i] -> [-i] }",
    )];
    check(&s, &Options::default(), &SIZES, -6, 8);
}

#[test]
fn quotients_and_ranges_of_quantified_variables() {
    let s = [
        statement(
            "[n] -> { [i] : 0 <= i < n and exists (e : 3e <= i <= 3e + 1) }",
            "[n] -> { [i] -> [i] }",
        ),
        statement(
            "[n] -> { [i] : 0 <= i < n and exists (e : 4e <= i <= 5e) }",
            "[n] -> { [i] -> [n - i] }",
        ),
    ];
    check(&s, &Options::default(), &[0, 1, 5, 12], -1, 13);
}

#[test]
fn unions() {
    let s = [statement(
        "[n] -> { [i] : 0 <= i < n or 3 <= i <= 6 or i = n + 1 }",
        "[n] -> { [i] -> [-i] }",
    )];
    check(&s, &Options::default(), &SIZES, -2, 10);
}

#[test]
fn order_that_depends_on_parameters() {
    let s = [
        statement("[n, m] -> { [i] : 0 <= i < n }", "[n, m] -> { [i] -> [i] }"),
        statement(
            "[n, m] -> { [i] : m <= i < n + m }",
            "[n, m] -> { [i] -> [i] }",
        ),
    ];
    let nodes = scan(2, &s, &Options::default()).expect("can be scanned");
    for n in -1..5 {
        for m in -6..6 {
            compare(&s, &nodes, &[n, m], (-8, 12)).unwrap_or_else(|e| panic!("{e}"));
        }
    }
}

#[test]
fn a_schedule_in_pieces() {
    let s = [statement(
        "[n] -> { [i] : 0 <= i < n }",
        "[n] -> { [i] -> [i] : i >= 3; [i] -> [10 - i] : i < 3 }",
    )];
    check(&s, &Options::default(), &SIZES, -1, 8);
}

#[test]
fn what_cannot_be_scanned() {
    let unbounded = [statement("{ [i] : i >= 0 }", "{ [i] -> [i] }")];
    let error = scan(0, &unbounded, &Options::default()).expect_err("has no upper bound");
    assert_eq!(
        error.to_string(),
        "dimension 0 of the schedule has no upper bound for statement 0"
    );
    let twice = [statement(
        "{ [i] : 0 <= i < 3 }",
        "{ [i] -> [t] : i <= t <= i + 1 }",
    )];
    let error = scan(0, &twice, &Options::default()).expect_err("has two times");
    assert_eq!(
        error,
        ScanError::Twice {
            statement: 0,
            iterators: 1
        }
    );
    let shape = [
        statement("{ [i] : i = 0 }", "{ [i] -> [i] }"),
        statement("{ [i] : i = 0 }", "{ [i] -> [i, 0] }"),
    ];
    let error = scan(0, &shape, &Options::default()).expect_err("times differ");
    assert_eq!(
        error.to_string(),
        "statement 1 has 2 dimensions of time, expected 1"
    );
}

#[test]
fn pieces_are_limited() {
    let s: Vec<Scheduled> = (0..4)
        .map(|k| {
            statement(
                &format!("[n] -> {{ [i] : {k} <= i < n }}"),
                "[n] -> { [i] -> [i] }",
            )
        })
        .collect();
    let few = Options {
        max_pieces: 2,
        ..Options::default()
    };
    let error = scan(1, &s, &few).expect_err("needs more");
    assert_eq!(error, ScanError::TooLarge { pieces: 2 });
}

fn between(r: &mut Random, low: i64, high: i64) -> Int {
    Int::new(r.between(low, high))
}

/// A box from 0 to 3 or to the parameter, cut by a few random constraints, one of them a
/// stride at times.
fn random_domain(r: &mut Random, dims: usize) -> Relation {
    let mut c = Conjunct::universe(Space::set(1, dims));
    for d in 0..dims {
        let mut row = vec![Int::ZERO; dims + 1];
        row[1 + d] = Int::ONE;
        c.add_inequality(&row, Int::ZERO);
        row[1 + d] = Int::MINUS_ONE;
        row[0] = Int::new(r.below(2));
        c.add_inequality(&row, Int::new(3 - row[0].to_i64().unwrap_or(0) * 3));
    }
    for _ in 0..r.below(3) {
        let row: Vec<Int> = (0..=dims).map(|_| between(r, -2, 2)).collect();
        c.add_inequality(&row, between(r, -2, 5));
    }
    if r.below(4) == 0 {
        let mut row: Vec<Int> = (0..=dims).map(|_| between(r, -1, 2)).collect();
        c.add_local();
        row.push(between(r, 2, 3));
        c.add_equality(&row, between(r, 0, 1));
    }
    Relation::from(c)
}

/// Each time a random affine form, at times the floor of half of one.
fn random_schedule(r: &mut Random, dims: usize, times: usize) -> Relation {
    let mut c = Conjunct::universe(Space::map(1, dims, times));
    for t in 0..times {
        let mut row: Vec<Int> = (0..=dims).map(|_| between(r, -1, 2)).collect();
        row[0] = Int::new(i64::from(r.below(5) == 0));
        row.resize(1 + dims + times, Int::ZERO);
        let constant = between(r, -1, 2);
        if r.below(4) == 0 {
            // 0 <= form - 2 t <= 1.
            row[1 + dims + t] = Int::new(-2);
            c.add_inequality(&row, constant.clone());
            let opposite: Vec<Int> = row.iter().map(|a| -a).collect();
            c.add_inequality(&opposite, &Int::ONE - &constant);
        } else {
            row[1 + dims + t] = Int::MINUS_ONE;
            c.add_equality(&row, constant);
        }
    }
    Relation::from(c)
}

/// `TERRACE_SCAN_CASES` asks for more.
#[test]
fn random_statements() {
    let asked = std::env::var("TERRACE_SCAN_CASES").ok();
    let cases = asked.and_then(|s| s.parse().ok()).unwrap_or(150);
    for seed in 0..cases {
        let mut r = Random(seed);
        let times = 1 + r.below(3) as usize;
        let count = 1 + r.below(3);
        let statements: Vec<Scheduled> = (0..count)
            .map(|_| {
                let dims = 1 + r.below(2) as usize;
                let mut domain = random_domain(&mut r, dims);
                if r.below(4) == 0 {
                    domain = domain.union(&random_domain(&mut r, dims));
                }
                Scheduled {
                    domain,
                    schedule: random_schedule(&mut r, dims, times),
                    parallel: Vec::new(),
                }
            })
            .collect();
        let options = match r.below(2) {
            0 => Options::default(),
            _ => whole(times),
        };
        let nodes = match scan(1, &statements, &options) {
            Ok(nodes) => nodes,
            // Pieces with strides may overlap, which is refused.
            Err(ScanError::Twice { .. }) => continue,
            Err(e) => panic!("seed {seed}: {e}"),
        };
        for n in [-1, 0, 1, 3, 4] {
            compare(&statements, &nodes, &[n], (-1, 5))
                .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        }
    }
}
