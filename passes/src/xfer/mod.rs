//! Transfers between the memories of host and devices.

pub mod check;
