//! A generated program as a tree, so that parts can be taken out of it.

/// A statement.
#[derive(Clone)]
pub enum Stmt {
    Line(String),
    /// `head`, a body, where there is one another body after `} else {`, and a `}`.
    Block {
        head: String,
        body: Vec<Stmt>,
        other: Option<Vec<Stmt>>,
    },
}

/// A program with one function, `@main`.
#[derive(Clone)]
pub struct Program {
    /// Everything up to the body of `@main`, and what follows the body.
    pub head: String,
    pub body: Vec<Stmt>,
    pub tail: String,
}

impl Program {
    /// The program as MLIR text.
    pub fn text(&self) -> String {
        let mut s = self.head.clone();
        print(&self.body, 1, &mut s);
        s + &self.tail
    }

    /// The number of statements, blocks included.
    pub fn len(&self) -> usize {
        count(&self.body)
    }

    /// The program without statement `n`, in the order of the text.
    pub fn without(&self, n: usize) -> Program {
        let mut p = self.clone();
        remove(&mut p.body, &mut { n });
        p
    }
}

fn print(stmts: &[Stmt], depth: usize, s: &mut String) {
    let indent = "  ".repeat(depth);
    for stmt in stmts {
        match stmt {
            Stmt::Line(l) => s.push_str(&format!("{indent}{l}\n")),
            Stmt::Block { head, body, other } => {
                s.push_str(&format!("{indent}{head} {{\n"));
                print(body, depth + 1, s);
                if let Some(other) = other {
                    s.push_str(&format!("{indent}}} else {{\n"));
                    print(other, depth + 1, s);
                }
                s.push_str(&format!("{indent}}}\n"));
            }
        }
    }
}

fn count(stmts: &[Stmt]) -> usize {
    let inner = |s: &Stmt| match s {
        Stmt::Line(_) => 0,
        Stmt::Block { body, other, .. } => count(body) + other.as_deref().map_or(0, count),
    };
    stmts.iter().map(|s| 1 + inner(s)).sum()
}

/// Counts `n` down to the statement to remove; true once it is gone.
fn remove(stmts: &mut Vec<Stmt>, n: &mut usize) -> bool {
    for i in 0..stmts.len() {
        if *n == 0 {
            stmts.remove(i);
            return true;
        }
        *n -= 1;
        if let Stmt::Block { body, other, .. } = &mut stmts[i]
            && (remove(body, n) || other.as_mut().is_some_and(|o| remove(o, n)))
        {
            return true;
        }
    }
    false
}
