//! What `terrace-lsp --help` prints. `terrace` makes a page of the manual of it.

/// All of it.
pub const USAGE: &str = "\
terrace-lsp: a language server for MLIR text (.mlir), models in formulas (.tf) and C with directives

It speaks the Language Server Protocol over standard input and output. An editor starts it, without
arguments. docs/language-server.md says how.
";
