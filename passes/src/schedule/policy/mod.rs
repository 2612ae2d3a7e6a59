//! Which transformations: decided from the dependences, printed as a schedule.

pub mod auto;
pub mod pluto;
