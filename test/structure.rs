//! Rules that the source keeps, which the compiler does not check.

#[path = "structure/crates.rs"]
mod crates;
#[path = "structure/op_names.rs"]
mod op_names;
#[path = "structure/rooms.rs"]
mod rooms;
