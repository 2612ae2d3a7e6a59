//! terrace
