//! Where boxes and arrows go: layers from top to bottom, after Sugiyama, Tagawa and
//! Toda, "Methods for visual understanding of hierarchical system structures" (1981).
//!
//! Arrows that close a cycle are turned round; every node is one layer below the lowest
//! before it; arrows over several layers get a point in each; nodes of a layer are
//! ordered by the medians of their neighbours, a few times down and up; then each is
//! moved towards its neighbours as far as the order allows.

use super::Graph;

/// The size of a character of the labels.
pub const CHAR: f64 = 7.3;
pub const LINE: f64 = 16.0;
/// Inside of a box, on every side.
pub const PADDING: f64 = 8.0;
/// Between boxes of a layer; between layers at least, without labels.
const GAP: f64 = 28.0;
const LAYER_GAP: f64 = 36.0;
/// Beyond this many points arrows go straight.
const MAX_POINTS: usize = 20_000;
const SWEEPS: usize = 8;

/// A box: its centre and size.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct NodeBox {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Layout {
    pub width: f64,
    pub height: f64,
    /// One for each node.
    pub nodes: Vec<NodeBox>,
    /// For each edge the points it goes through between its ends, in its direction.
    pub bends: Vec<Vec<(f64, f64)>>,
}

/// A node, or a bend of an arrow, while being placed.
#[derive(Debug, Clone, Default)]
struct Item {
    layer: usize,
    width: f64,
    height: f64,
    x: f64,
    above: Vec<usize>,
    below: Vec<usize>,
}

/// Places a graph; the upper left corner is (0, 0).
pub fn layout(g: &Graph) -> Layout {
    let n = g.nodes.len();
    let turned = turned_edges(g);
    let ends = |i: usize| {
        let e = &g.edges[i];
        if turned[i] {
            (e.to, e.from)
        } else {
            (e.from, e.to)
        }
    };
    let layers = layers_of(n, (0..g.edges.len()).map(ends).filter(|(a, b)| a != b));
    let mut items: Vec<Item> = g
        .nodes
        .iter()
        .zip(&layers)
        .map(|(node, layer)| {
            let widest = node.lines.iter().map(|l| l.chars().count()).max();
            Item {
                layer: *layer,
                width: widest.unwrap_or(1).max(2) as f64 * CHAR + 2.0 * PADDING,
                height: node.lines.len().max(1) as f64 * LINE + 2.0 * PADDING,
                ..Item::default()
            }
        })
        .collect();
    let bends = add_bends(g, &mut items, &layers, ends);
    let rows = order(&mut items);
    place(&mut items, &rows);

    let labels = g.edges.iter().map(|e| e.lines.len()).max().unwrap_or(0);
    let layer_gap = LAYER_GAP + labels as f64 * LINE;
    let mut tops = Vec::with_capacity(rows.len());
    let mut y = GAP / 2.0;
    for row in &rows {
        let height = row.iter().map(|&i| items[i].height).fold(0.0, f64::max);
        tops.push((y, height));
        y += height + layer_gap;
    }
    let centre = |i: usize| {
        let (top, height) = tops[items[i].layer];
        (items[i].x, top + height / 2.0)
    };
    let mut out = Layout {
        height: (y - layer_gap + GAP / 2.0).max(GAP),
        ..Layout::default()
    };
    for (i, item) in items.iter().enumerate() {
        let (x, y) = centre(i);
        // Room for labels beside bends, and for loops beside boxes.
        out.width = out.width.max(x + item.width / 2.0 + 2.0 * GAP);
        if i < n {
            out.nodes.push(NodeBox {
                x,
                y,
                width: item.width,
                height: item.height,
            });
        }
    }
    out.bends = bends
        .into_iter()
        .enumerate()
        .map(|(i, list)| {
            let mut points: Vec<(f64, f64)> = list.into_iter().map(centre).collect();
            if turned[i] {
                points.reverse();
            }
            points
        })
        .collect();
    out
}

/// Which edges to turn round so that no cycle is left: those to a node that a
/// depth-first walk has not left yet.
fn turned_edges(g: &Graph) -> Vec<bool> {
    let n = g.nodes.len();
    let mut out_edges: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (i, e) in g.edges.iter().enumerate() {
        out_edges[e.from].push(i);
    }
    let mut turned = vec![false; g.edges.len()];
    // 0 new, 1 on the way, 2 done.
    let mut state = vec![0u8; n];
    for root in 0..n {
        if state[root] != 0 {
            continue;
        }
        state[root] = 1;
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let Some(&edge) = out_edges[*node].get(*next) else {
                state[*node] = 2;
                stack.pop();
                continue;
            };
            *next += 1;
            let to = g.edges[edge].to;
            match state[to] {
                0 => {
                    state[to] = 1;
                    stack.push((to, 0));
                }
                1 => turned[edge] = true,
                _ => {}
            }
        }
    }
    turned
}

/// The longest way to each node, in edges.
fn layers_of(n: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut waits = vec![0usize; n];
    for (a, b) in edges {
        below[a].push(b);
        waits[b] += 1;
    }
    let mut layer = vec![0; n];
    let mut ready: Vec<usize> = (0..n).filter(|&i| waits[i] == 0).collect();
    while let Some(a) = ready.pop() {
        for &b in &below[a] {
            layer[b] = layer[b].max(layer[a] + 1);
            waits[b] -= 1;
            if waits[b] == 0 {
                ready.push(b);
            }
        }
    }
    layer
}

/// Points for edges over several layers: for each edge its points, from top to bottom.
fn add_bends(
    g: &Graph,
    items: &mut Vec<Item>,
    layers: &[usize],
    ends: impl Fn(usize) -> (usize, usize),
) -> Vec<Vec<usize>> {
    let spans = (0..g.edges.len()).map(|i| {
        let (a, b) = ends(i);
        layers[b].saturating_sub(layers[a] + 1)
    });
    let bends = spans.sum::<usize>() <= MAX_POINTS;
    let mut all = Vec::with_capacity(g.edges.len());
    for i in 0..g.edges.len() {
        let (a, b) = ends(i);
        let mut list = Vec::new();
        if a != b {
            let mut last = a;
            if bends {
                for layer in layers[a] + 1..layers[b] {
                    let point = items.len();
                    items.push(Item {
                        layer,
                        width: 8.0,
                        ..Item::default()
                    });
                    link(items, last, point);
                    last = point;
                    list.push(point);
                }
            }
            link(items, last, b);
        }
        all.push(list);
    }
    all
}

fn link(items: &mut [Item], above: usize, below: usize) {
    items[above].below.push(below);
    items[below].above.push(above);
}

/// The items of each layer from left to right, with few crossings.
fn order(items: &mut [Item]) -> Vec<Vec<usize>> {
    let layers = items.iter().map(|i| i.layer + 1).max().unwrap_or(0);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); layers];
    for (i, item) in items.iter().enumerate() {
        rows[item.layer].push(i);
    }
    let mut at = vec![0usize; items.len()];
    let number = |row: &[usize], at: &mut Vec<usize>| {
        for (k, &i) in row.iter().enumerate() {
            at[i] = k;
        }
    };
    for row in &rows {
        number(row, &mut at);
    }
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        for k in 0..layers {
            let row = if down { k } else { layers - 1 - k };
            let mut keyed: Vec<(f64, usize, usize)> = rows[row]
                .iter()
                .map(|&i| {
                    let near = if down {
                        &items[i].above
                    } else {
                        &items[i].below
                    };
                    let positions = near.iter().map(|&j| at[j] as f64).collect();
                    (median(positions).unwrap_or(at[i] as f64), at[i], i)
                })
                .collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            rows[row] = keyed.into_iter().map(|k| k.2).collect();
            number(&rows[row], &mut at);
        }
    }
    rows
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    values.sort_by(f64::total_cmp);
    let (low, high) = ((values.len() - 1) / 2, values.len() / 2);
    Some((values[low] + values[high]) / 2.0)
}

/// Horizontal places within the order of each row.
fn place(items: &mut [Item], rows: &[Vec<usize>]) {
    for row in rows {
        let mut x = GAP / 2.0;
        for &i in row {
            items[i].x = x + items[i].width / 2.0;
            x += items[i].width + GAP;
        }
    }
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        for k in 0..rows.len() {
            let row = if down {
                &rows[k]
            } else {
                &rows[rows.len() - 1 - k]
            };
            let wanted: Vec<f64> = row
                .iter()
                .map(|&i| {
                    let near = if down {
                        &items[i].above
                    } else {
                        &items[i].below
                    };
                    let xs = near.iter().map(|&j| items[j].x).collect();
                    median(xs).unwrap_or(items[i].x)
                })
                .collect();
            // From the left nobody may be pushed over his neighbour; the same from the
            // right; the mean of both keeps the order and the gaps.
            let apart = |a: usize, b: usize| (items[a].width + items[b].width) / 2.0 + GAP;
            let mut left = wanted.clone();
            for k in 1..row.len() {
                left[k] = left[k].max(left[k - 1] + apart(row[k - 1], row[k]));
            }
            let mut right = wanted;
            for k in (1..row.len()).rev() {
                right[k - 1] = right[k - 1].min(right[k] - apart(row[k - 1], row[k]));
            }
            for (k, &i) in row.iter().enumerate() {
                items[i].x = (left[k] + right[k]) / 2.0;
            }
        }
    }
    let least = items
        .iter()
        .map(|i| i.x - i.width / 2.0)
        .fold(f64::INFINITY, f64::min);
    if least.is_finite() {
        for i in items {
            i.x += GAP / 2.0 - least;
        }
    }
}
