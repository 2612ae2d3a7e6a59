//! Which transformations: decided from the dependences, printed as a schedule.

pub(crate) mod auto;
pub(crate) mod pluto;
