//! Rewriting: patterns, the means to apply them, and the greedy driver.

mod folder;
mod greedy;
mod merge_blocks;
mod pattern;
mod regions;
mod rewriter;
mod worklist;

#[cfg(test)]
mod tests;

pub use folder::ConstantFolder;
pub use greedy::{GreedyOptions, GreedyResult, apply_greedily, apply_to_ops};
pub use pattern::{Pattern, PatternSet};
pub use regions::{erase_unreachable_blocks, simplify_regions};
pub use rewriter::Rewriter;
