//! Linear programming over exact rationals, and what integer programming makes of it.

pub(crate) mod basis;
pub(crate) mod matrix;
pub(crate) mod ratio;
pub(crate) mod tableau;
