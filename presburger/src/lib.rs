//! Integer sets and maps: the lowest layer, which knows no IR.
//!
//! Nothing is here yet. Legality is decided by the conservative tests of
//! `terrace-passes`; what replaces them by exact ones is built on this crate.
