//! The expression tree.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// The deepest expression that the checked builders make and that the
/// recursive simplifications take on; a leaf has depth 1.
pub const MAX_DEPTH: u32 = 512;

/// The largest expression, counted as a tree (a shared subexpression counts
/// once per use), that the checked builders make and the simplifications take
/// on.
pub(crate) const MAX_NODES: u64 = 1 << 16;

/// A binary operator of an affine expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AffineOp {
    /// A sum.
    Add,
    /// A product.
    Mul,
    /// Euclidean remainder: the result lies in `0..rhs`. Undefined for a
    /// divisor that is not positive.
    Mod,
    /// Quotient rounded towards minus infinity.
    FloorDiv,
    /// Quotient rounded towards plus infinity.
    CeilDiv,
}

/// An affine or semi-affine expression over dimensions and symbols.
///
/// Immutable, structural equality and hash, cheap to clone: leaves are inline,
/// inner nodes are shared. Build with [`AffineExpr::dim`],
/// [`AffineExpr::symbol`], [`AffineExpr::constant`] and the operators, which
/// simplify locally; [`AffineExpr::try_binary`] also checks the limits and the
/// rules of affinity.
///
/// The unchecked operators put no limit on depth (composing maps over and over
/// can go past [`MAX_DEPTH`]). Such expressions can still be compared, hashed,
/// printed, evaluated, substituted into and dropped in bounded stack; only
/// simplification leaves them alone.
#[derive(Clone)]
pub enum AffineExpr {
    /// `d0`, `d1`, ...
    Dim(u32),
    /// `s0`, `s1`, ...
    Symbol(u32),
    /// A number.
    Constant(i64),
    /// An operation on two expressions.
    Binary(Arc<BinaryExpr>),
}

/// An inner node, with the facts about its subtree that every query asks for.
pub struct BinaryExpr {
    op: AffineOp,
    lhs: AffineExpr,
    rhs: AffineExpr,
    depth: u32,
    nodes: u64,
    hash: u64,
    divisor: i64,
    symbolic: bool,
    pure: bool,
}

impl BinaryExpr {
    /// What is done with the operands.
    pub fn op(&self) -> AffineOp {
        self.op
    }

    /// The left operand: of a division, the dividend.
    pub fn lhs(&self) -> &AffineExpr {
        &self.lhs
    }

    /// The right operand: of a division, the divisor.
    pub fn rhs(&self) -> &AffineExpr {
        &self.rhs
    }
}

impl Drop for BinaryExpr {
    fn drop(&mut self) {
        if self.depth <= 64 {
            return;
        }
        // A long chain would otherwise drop recursively, one frame a node.
        let hole = AffineExpr::Constant(0);
        let mut pending = vec![
            std::mem::replace(&mut self.lhs, hole.clone()),
            std::mem::replace(&mut self.rhs, hole.clone()),
        ];
        while let Some(expr) = pending.pop() {
            if let AffineExpr::Binary(node) = expr
                && let Some(mut node) = Arc::into_inner(node)
            {
                pending.push(std::mem::replace(&mut node.lhs, hole.clone()));
                pending.push(std::mem::replace(&mut node.rhs, hole.clone()));
                // The children are gone, so the drop of `node` itself must
                // not start a worklist of its own.
                node.depth = 1;
            }
        }
    }
}

impl AffineExpr {
    /// The dimension `d{position}`.
    pub fn dim(position: u32) -> Self {
        AffineExpr::Dim(position)
    }

    /// The symbol `s{position}`.
    pub fn symbol(position: u32) -> Self {
        AffineExpr::Symbol(position)
    }

    /// The expression of one number.
    pub fn constant(value: i64) -> Self {
        AffineExpr::Constant(value)
    }

    /// The node `lhs op rhs` as it stands, without simplification.
    pub(super) fn node(op: AffineOp, lhs: AffineExpr, rhs: AffineExpr) -> Self {
        let depth = lhs.depth().max(rhs.depth()).saturating_add(1);
        let nodes = lhs.nodes().saturating_add(rhs.nodes()).saturating_add(1);
        let hash = mix(
            mix(op as u64 + 11, lhs.structural_hash()),
            rhs.structural_hash(),
        );
        let pure = lhs.is_pure_affine()
            && match op {
                AffineOp::Add => rhs.is_pure_affine(),
                AffineOp::Mul => rhs.is_pure_affine() && (lhs.is_constant() || rhs.is_constant()),
                AffineOp::Mod | AffineOp::FloorDiv | AffineOp::CeilDiv => rhs.is_constant(),
            };
        let symbolic = lhs.is_symbolic_or_constant() && rhs.is_symbolic_or_constant();
        let divisor = super::query::divisor_of(
            op,
            lhs.largest_known_divisor(),
            rhs.largest_known_divisor(),
            rhs.as_constant(),
        );
        AffineExpr::Binary(Arc::new(BinaryExpr {
            op,
            lhs,
            rhs,
            depth,
            nodes,
            hash,
            divisor,
            symbolic,
            pure,
        }))
    }

    /// The operator and operands, if this is not a leaf.
    pub fn as_binary(&self) -> Option<(AffineOp, &AffineExpr, &AffineExpr)> {
        match self {
            AffineExpr::Binary(node) => Some((node.op, &node.lhs, &node.rhs)),
            _ => None,
        }
    }

    /// The operands, if this is the operator `op`.
    pub(super) fn as_op(&self, op: AffineOp) -> Option<(&AffineExpr, &AffineExpr)> {
        match self.as_binary() {
            Some((found, lhs, rhs)) if found == op => Some((lhs, rhs)),
            _ => None,
        }
    }

    /// The number, if the expression is a constant; nothing is folded.
    pub fn as_constant(&self) -> Option<i64> {
        match self {
            AffineExpr::Constant(value) => Some(*value),
            _ => None,
        }
    }

    /// Whether the expression is a number as it stands.
    pub fn is_constant(&self) -> bool {
        matches!(self, AffineExpr::Constant(_))
    }

    /// Levels of the tree; 1 for a leaf.
    pub fn depth(&self) -> u32 {
        match self {
            AffineExpr::Binary(node) => node.depth,
            _ => 1,
        }
    }

    /// Nodes of the tree, a shared subexpression counted once per use;
    /// saturates.
    pub fn nodes(&self) -> u64 {
        match self {
            AffineExpr::Binary(node) => node.nodes,
            _ => 1,
        }
    }

    /// Whether depth and size are within [`MAX_DEPTH`] and `MAX_NODES`.
    pub fn within_limits(&self) -> bool {
        self.depth() <= MAX_DEPTH && self.nodes() <= MAX_NODES
    }

    /// Made of symbols and constants only.
    pub fn is_symbolic_or_constant(&self) -> bool {
        match self {
            AffineExpr::Dim(_) => false,
            AffineExpr::Symbol(_) | AffineExpr::Constant(_) => true,
            AffineExpr::Binary(node) => node.symbolic,
        }
    }

    /// Multiplies, divides and takes remainders by constants only. What is not
    /// pure is semi-affine.
    pub fn is_pure_affine(&self) -> bool {
        match self {
            AffineExpr::Binary(node) => node.pure,
            _ => true,
        }
    }

    /// The largest integer known to divide every value of the expression; 0
    /// for the constant 0, which everything divides.
    pub fn largest_known_divisor(&self) -> i64 {
        match self {
            AffineExpr::Dim(_) | AffineExpr::Symbol(_) => 1,
            // |i64::MIN| does not fit; half of it divides it too.
            AffineExpr::Constant(value) => value.checked_abs().unwrap_or(1 << 62),
            AffineExpr::Binary(node) => node.divisor,
        }
    }

    fn structural_hash(&self) -> u64 {
        match self {
            AffineExpr::Dim(position) => mix(1, u64::from(*position)),
            AffineExpr::Symbol(position) => mix(2, u64::from(*position)),
            AffineExpr::Constant(value) => mix(3, *value as u64),
            AffineExpr::Binary(node) => node.hash,
        }
    }

    /// Identity of the node, for a leaf equality of value. Implies `==`.
    pub(super) fn same_node(&self, other: &AffineExpr) -> bool {
        match (self, other) {
            (AffineExpr::Dim(a), AffineExpr::Dim(b))
            | (AffineExpr::Symbol(a), AffineExpr::Symbol(b)) => a == b,
            (AffineExpr::Constant(a), AffineExpr::Constant(b)) => a == b,
            (AffineExpr::Binary(a), AffineExpr::Binary(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

/// One step of a multiply-rotate hash (the constant is 2^64 over the golden
/// ratio). Deterministic, so that hashes can serve in reproducible output.
fn mix(state: u64, value: u64) -> u64 {
    let mixed = (state ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).rotate_left(17).wrapping_add(state)
}

impl PartialEq for AffineExpr {
    fn eq(&self, other: &Self) -> bool {
        if self.same_node(other) {
            return true;
        }
        let (AffineExpr::Binary(a), AffineExpr::Binary(b)) = (self, other) else {
            return false;
        };
        if a.hash != b.hash {
            return false;
        }
        // Iterative, and each pair of nodes once: two equal graphs with much
        // sharing would take exponential time as trees.
        let track = a.nodes > 256;
        let mut seen = FxHashSet::default();
        let mut pending: SmallVec<[(&BinaryExpr, &BinaryExpr); 8]> = SmallVec::new();
        pending.push((a, b));
        while let Some((a, b)) = pending.pop() {
            if a.hash != b.hash || a.op != b.op || a.nodes != b.nodes {
                return false;
            }
            if track && !seen.insert((a as *const BinaryExpr, b as *const BinaryExpr)) {
                continue;
            }
            for (x, y) in [(&a.lhs, &b.lhs), (&a.rhs, &b.rhs)] {
                if x.same_node(y) {
                    continue;
                }
                match (x, y) {
                    (AffineExpr::Binary(x), AffineExpr::Binary(y)) => pending.push((x, y)),
                    _ => return false,
                }
            }
        }
        true
    }
}

impl Eq for AffineExpr {}

impl Hash for AffineExpr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.structural_hash());
    }
}

impl From<i64> for AffineExpr {
    fn from(value: i64) -> Self {
        AffineExpr::Constant(value)
    }
}
