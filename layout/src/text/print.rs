//! A layout to text.

use crate::error::List;
use crate::{Digit, Layout, Resource};
use std::fmt;

impl fmt::Display for Digit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} @ {}", self.radix, List(&self.step, ['(', ')'], ","))
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}", List(self.shape(), ['[', ']'], ", "))?;
        for resource in Resource::ALL {
            let digits = self.digits(resource);
            if !digits.is_empty() {
                write!(f, ", {resource} = {}", List(digits, ['[', ']'], ", "))?;
            }
        }
        f.write_str(">")
    }
}
