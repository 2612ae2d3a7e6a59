//! Diagnostics: source files and positions, collecting errors, showing them
//! beside the source line, and checking them against expectations in comments.
//!
//! Nothing here knows the IR. A location of the IR becomes a [`DiagLoc`] when a
//! diagnostic is made.

mod diagnostic;
mod ere;
mod render;
mod source;
mod split;
mod verify;

#[cfg(test)]
mod verify_tests;

pub use diagnostic::{DiagLoc, Diagnostic, Diagnostics, Severity};
pub use render::Renderer;
pub use source::{FileId, LineCursor, NoSources, Pos, SourceFile, SourceMap, SourceProvider};
pub use split::{Chunk, DEFAULT_SPLIT_MARKER, Split, split_input};
pub use verify::{Verifier, VerifyLevel};
