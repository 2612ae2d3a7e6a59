//! What a device's own library transforms.

/// Complex numbers in row-major order that are transformed along an axis: the numbers outside of it,
/// along it and inside of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transform {
    /// How often the axis begins anew.
    pub outer: usize,
    /// The length of the axis.
    pub n: usize,
    /// The distance of neighbours along it, in numbers.
    pub inner: usize,
    /// Parts have 64 bits, else 32.
    pub double: bool,
}

impl Transform {
    /// The bytes of one number.
    pub fn number_bytes(self) -> usize {
        match self.double {
            true => 16,
            false => 8,
        }
    }

    /// The bytes of all; none where no address counts them.
    pub fn bytes(self) -> Option<usize> {
        let numbers = self.outer.checked_mul(self.n)?.checked_mul(self.inner)?;
        numbers.checked_mul(self.number_bytes())
    }
}
