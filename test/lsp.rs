//! The language server, by a client of its own over the protocol.

#[path = "lsp/c.rs"]
mod c;
#[path = "lsp/client.rs"]
mod client;
#[path = "lsp/corpus.rs"]
mod corpus;
#[path = "lsp/formulas.rs"]
mod formulas;
#[path = "lsp/mlir.rs"]
mod mlir;
#[path = "lsp/mutations.rs"]
mod mutations;
#[path = "lsp/protocol.rs"]
mod protocol;
#[path = "lsp/speed.rs"]
mod speed;
