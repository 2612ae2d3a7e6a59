//! Tests of the analysis, by area.

mod compiler;
mod directives;
mod errors;
mod expressions;
mod headers;
mod initialisers;
mod statements;
