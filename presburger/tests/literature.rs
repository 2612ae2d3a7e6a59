//! Cases of the literature, with the answers given there or plain to see.

use terrace_presburger::{Count, Int, Relation};

fn read(text: &str) -> Relation {
    Relation::parse(text).unwrap()
}

fn same(found: &Relation, expected: &str) {
    let expected = read(expected);
    assert!(
        found.is_equal(&expected).unwrap(),
        "{found}\nis not {expected}"
    );
}

/// W. Pugh, The Omega test (1991), section 2.3.1: the real shadow has points, the set
/// has none.
#[test]
fn real_shadow_without_integers() {
    let set = read("{ [x, y] : 27 <= 11x + 13y <= 45 and -10 <= 7x - 9y <= 4 }");
    assert!(set.is_empty().unwrap());
    assert!(set.project_out(1..2).is_empty().unwrap());
}

/// W. Pugh, The Omega test, section 2.3.3: what splinters add to the dark shadow.
#[test]
fn projection_with_splinters() {
    let set = read("{ [a] : exists b : 0 <= 3b - a <= 7 and 1 <= a - 2b <= 5 }");
    same(&set, "{ [a] : a = 3 or 5 <= a <= 27 or a = 29 }");
    same(
        &set.complement().unwrap(),
        "{ [a] : a <= 2 or a = 4 or a = 28 or a >= 30 }",
    );
}

/// The Frobenius number of 6, 9 and 20 is 43.
#[test]
fn chicken_nuggets() {
    let bought = read("{ [n] : exists a, b, c : a, b, c >= 0 and n = 6a + 9b + 20c }");
    let not = bought
        .complement()
        .unwrap()
        .intersect(&read("{ [n] : n >= 0 }"));
    assert_eq!(not.lexmax().unwrap().to_string(), "{ [i0] : i0 = 43 }");
    assert_eq!(not.count().unwrap(), Count::Finite(Int::new(22)));
}

/// P. Feautrier, Dataflow analysis of array and scalar references (1991): in
/// `for i: for j: c[i+j] = c[i+j] + ...` the last write before a read, here for the
/// polynomial product.
#[test]
fn last_writer_of_a_polynomial_product() {
    let same_element = read("[n] -> { [i, j] -> [k, l] : 0 <= i, j, k, l < n and i + j = k + l }");
    let before = Relation::lex_lt(1, 2).inverse();
    let source = same_element.intersect(&before).lexmax().unwrap();
    same(
        &source,
        "[n] -> { [i, j] -> [i - 1, j + 1] : 1 <= i < n and 0 <= j < n - 1 }",
    );
}

/// S. Verdoolaege, Integer set coalescing (2015): pieces that are one conjunct.
#[test]
fn coalescing() {
    for (text, expected) in [
        (
            "{ [i] : 0 <= i <= 4 or 5 <= i <= 9 }",
            "{ [i] : 0 <= i <= 9 }",
        ),
        (
            "{ [i] : 0 <= i <= 4 or 2 <= i <= 3 }",
            "{ [i] : 0 <= i <= 4 }",
        ),
        (
            "{ [i] : 0 <= i <= 6 or 3 <= i <= 9 }",
            "{ [i] : 0 <= i <= 9 }",
        ),
        ("{ [i] : 0 <= i <= 4 or i = 5 }", "{ [i] : 0 <= i <= 5 }"),
        ("{ [i] : i mod 2 = 0 or i mod 2 = 1 }", "{ [i] }"),
        (
            "[n] -> { [i] : 1 <= i <= n - 1 or (i = n and n >= 1) }",
            "[n] -> { [i] : 1 <= i <= n }",
        ),
        (
            "{ [i, j] : 0 <= j <= i <= 9 or (0 <= i < j <= 9) }",
            "{ [i, j] : 0 <= i, j <= 9 }",
        ),
    ] {
        let found = read(text).coalesce();
        assert_eq!(found.pieces().len(), 1, "{text}: {found}");
        same(&found, expected);
    }
    let apart = read("{ [i] : 0 <= i <= 4 or 6 <= i <= 9 }").coalesce();
    assert_eq!(apart.pieces().len(), 2);
}

#[test]
fn what_the_context_says_is_left_out() {
    let context = read("[n] -> { [i] : 0 <= i < n }");
    for (text, expected) in [
        (
            "[n] -> { [i] : 0 <= i < n and i <= 5 }",
            "[p0] -> { [i0] : 5 >= i0 }",
        ),
        ("[n] -> { [i] : i >= -3 and n >= 1 }", "[p0] -> { [i0] }"),
        ("[n] -> { [i] : i >= n }", "[p0] -> { [i0] : false }"),
    ] {
        assert_eq!(read(text).gist(&context).unwrap().to_string(), expected);
    }
}

#[test]
fn counting() {
    for (text, expected) in [
        (
            "{ [i, j] : 0 <= i < 1000000 and 0 <= j < 1000000 }",
            1_000_000_000_000,
        ),
        ("{ [i, j] : 0 <= j <= i < 100 }", 5050),
        ("{ [i] : 0 <= i < 1000 and i mod 7 = 3 }", 143),
        ("{ [i] : 0 <= i < 10 or 5 <= i < 15 }", 15),
        ("{ [i] : exists (j, k : 0 <= j, k < 10 and i = j + k) }", 19),
    ] {
        let found = read(text).count().unwrap();
        assert_eq!(found, Count::Finite(Int::new(expected)), "{text}");
    }
    assert_eq!(read("{ [i] : i >= 0 }").count().unwrap(), Count::Infinite);
}

/// Bounds of the loops over tiles and points of a triangle.
#[test]
fn bounds_of_tiled_loops() {
    let tiles = read("[n] -> { [t, i, j] : 0 <= j <= i < n and 32t <= i < 32t + 32 }");
    let piece = &tiles.pieces()[0];
    let bounds = piece.dim_bounds(1);
    assert!(bounds.exact);
    let shown: Vec<String> = bounds
        .lower
        .iter()
        .chain(&bounds.upper)
        .map(|bound| format!("{:?} / {}", bound.numerator, bound.divisor))
        .collect();
    // 0 <= t <= floor((n - 1) / 32)
    assert_eq!(shown, ["[0, 0] / 1", "[1, -1] / 32"]);
    let bounds = piece.dim_bounds(3);
    assert!(bounds.exact);
    assert_eq!((bounds.lower.len(), bounds.upper.len()), (1, 1));
}
