//! Strongly connected components, for parts that must stay together.

/// The strongly connected components of a graph of `n` nodes, each sorted, in an order
/// in which no edge goes back; of several such orders the one that keeps the numbers
/// of the nodes rising as far as can be. Edges to nodes that are not there are left
/// aside. (Kahn's order over the components of the transitive closure; the graphs here
/// have the statements of one loop as nodes.)
pub fn strong_components(n: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    // reaches[a] are the nodes that a comes before.
    let mut reaches: Vec<Vec<bool>> = vec![vec![false; n]; n];
    for (from, to) in edges {
        if *from < n && *to < n {
            reaches[*from][*to] = true;
        }
    }
    for via in 0..n {
        let further = reaches[via].clone();
        for row in reaches.iter_mut().filter(|row| row[via]) {
            for (here, there) in row.iter_mut().zip(&further) {
                *here |= there;
            }
        }
    }
    let mut left: Vec<Vec<usize>> = Vec::new();
    for (node, after) in reaches.iter().enumerate() {
        let together = |c: &&mut Vec<usize>| reaches[c[0]][node] && after[c[0]];
        match left.iter_mut().find(together) {
            Some(c) => c.push(node),
            None => left.push(vec![node]),
        }
    }
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        // A component that no other one comes before; there is one, since components
        // have no cycles.
        let free = left.iter().position(|c| {
            left.iter()
                .all(|other| other[0] == c[0] || !reaches[other[0]][c[0]])
        });
        order.push(left.remove(free.unwrap_or(0)));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::strong_components;

    #[test]
    fn cycles_stay_together_and_edges_go_forward() {
        assert_eq!(strong_components(3, &[]), [[0], [1], [2]]);
        assert_eq!(strong_components(3, &[(2, 0)]), [[1], [2], [0]]);
        let c = strong_components(5, &[(0, 3), (3, 0), (3, 1), (2, 0), (4, 4), (7, 0)]);
        assert_eq!(c, [vec![2], vec![0, 3], vec![1], vec![4]]);
    }
}
