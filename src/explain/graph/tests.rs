use super::layout::layout;
use super::{Colour, Edge, Graph, dot, svg};

fn graph(n: usize, edges: &[(usize, usize)]) -> Graph {
    let mut g = Graph::new("g");
    for i in 0..n {
        g.node(vec![format!("node {i}"); 1 + i % 3], i % 4 == 3);
    }
    for &(a, b) in edges {
        g.edge(a, b, if a % 2 == 0 { "yes" } else { "" });
    }
    g
}

/// Numbers that look random and are the same each time.
fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |n| {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        (x % n as u64) as usize
    }
}

fn check(g: &Graph) {
    let l = layout(g);
    assert_eq!(
        (l.nodes.len(), l.bends.len()),
        (g.nodes.len(), g.edges.len())
    );
    for (i, a) in l.nodes.iter().enumerate() {
        assert!(a.x - a.width / 2.0 >= 0.0 && a.y - a.height / 2.0 >= 0.0);
        assert!(a.x + a.width / 2.0 <= l.width && a.y + a.height / 2.0 <= l.height);
        for b in &l.nodes[..i] {
            let apart_x = (a.x - b.x).abs() >= (a.width + b.width) / 2.0;
            let apart_y = (a.y - b.y).abs() >= (a.height + b.height) / 2.0;
            assert!(apart_x || apart_y, "boxes overlap: {a:?} {b:?}");
        }
    }
}

#[test]
fn boxes_never_overlap() {
    check(&graph(0, &[]));
    check(&graph(1, &[(0, 0)]));
    for seed in 1..60 {
        let mut next = numbers(seed);
        let n = 2 + next(20);
        let edges: Vec<(usize, usize)> = (0..next(40)).map(|_| (next(n), next(n))).collect();
        check(&graph(n, &edges));
    }
}

#[test]
fn arrows_go_down_but_for_those_that_close_a_cycle() {
    let g = graph(4, &[(0, 1), (1, 2), (2, 1), (2, 3), (0, 3)]);
    let l = layout(&g);
    let y = |i: usize| l.nodes[i].y;
    assert!(y(0) < y(1) && y(1) < y(2) && y(2) < y(3));
    // From 0 to 3 it goes past two layers.
    assert_eq!(l.bends[4].len(), 2);
    assert!(l.bends[4][0].1 < l.bends[4][1].1);
    assert!(l.bends[2].is_empty());
}

#[test]
fn long_chains_do_not_overflow() {
    let n = 20_000;
    let mut edges: Vec<(usize, usize)> = (1..n).map(|i| (i - 1, i)).collect();
    edges.extend((0..n / 2).map(|i| (i, n - 1)));
    let l = layout(&graph(n, &edges));
    assert_eq!(l.nodes.len(), n);
}

fn sample() -> Graph {
    let mut g = Graph::new("f \"x\" <1>");
    g.node(
        vec!["a[i] < \"b\"".to_string(), "line 3".to_string()],
        false,
    );
    g.node(vec!["c".to_string()], true);
    g.edge(0, 0, "");
    g.edges.push(Edge {
        from: 0,
        to: 1,
        lines: vec!["flow".to_string(), "over i".to_string()],
        colour: Colour::Red,
        dashed: true,
    });
    g
}

#[test]
fn dot_text() {
    assert_eq!(
        dot::dot(&[sample()]),
        "digraph \"f \\\"x\\\" <1>\" {\n  label=\"f \\\"x\\\" <1>\";\n  node [shape=box, \
         fontname=\"monospace\"];\n  n0 [label=\"a[i] < \\\"b\\\"\\lline 3\\l\"];\n  n1 \
         [label=\"c\\l\", style=dashed];\n  n0 -> n0;\n  n0 -> n1 [label=\"flow\\nover i\", \
         color=red, style=dashed];\n}\n"
    );
}

#[test]
fn pictures_are_complete_in_themselves() {
    let text = svg::svg(&[sample(), graph(3, &[(0, 1), (1, 2), (2, 0)])]);
    assert!(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\""));
    assert!(text.contains(">a[i] &lt; &quot;b&quot;</text>"));
    assert!(text.contains("<path class=\"e red d\""));
    assert_eq!(text.matches("<rect").count(), 5);
    assert_eq!(text.matches("<path class=\"h").count(), 5);
    assert_eq!(text.matches("<g").count(), text.matches("</g>").count());
    assert_eq!(
        text.matches("<text").count(),
        text.matches("</text>").count()
    );
    assert!(!text.contains("NaN") && !text.contains("href"));
}
