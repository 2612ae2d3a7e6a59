//! Graphs of a program: who calls whom, which way control goes, what depends on what.

pub(crate) mod calls;
pub(crate) mod cfg;
pub(crate) mod deps;
pub(crate) mod dot;
pub(crate) mod layout;
pub(crate) mod svg;

#[cfg(test)]
mod tests;

/// Boxes and arrows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    pub title: String,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    /// Its text, line by line.
    pub lines: Vec<String>,
    /// Drawn with a broken line: something that is not here, or not known.
    pub dashed: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edge {
    /// Indices of nodes.
    pub from: usize,
    pub to: usize,
    pub lines: Vec<String>,
    pub colour: Colour,
    pub dashed: bool,
}

/// Which of a few kinds an arrow is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Colour {
    #[default]
    Plain,
    Red,
    Blue,
    Grey,
}

impl Colour {
    pub fn name(self) -> &'static str {
        match self {
            Colour::Plain => "black",
            Colour::Red => "red",
            Colour::Blue => "blue",
            Colour::Grey => "grey",
        }
    }
}

impl Graph {
    pub fn new(title: impl Into<String>) -> Graph {
        Graph {
            title: title.into(),
            ..Graph::default()
        }
    }

    /// Adds a node and returns its index.
    pub fn node(&mut self, lines: Vec<String>, dashed: bool) -> usize {
        self.nodes.push(Node { lines, dashed });
        self.nodes.len() - 1
    }

    /// Adds a plain arrow.
    pub fn edge(&mut self, from: usize, to: usize, label: &str) {
        let lines = match label {
            "" => Vec::new(),
            l => vec![l.to_string()],
        };
        self.edges.push(Edge {
            from,
            to,
            lines,
            ..Edge::default()
        });
    }
}
