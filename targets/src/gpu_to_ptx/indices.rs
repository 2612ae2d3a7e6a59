//! What launches must keep to where index arithmetic is done in 32 bits.

/// What index arithmetic in 32 bits rests on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Indices {
    /// Scalar parameters of type `index`, by position.
    pub scalars: Vec<usize>,
    /// The layouts of the memrefs.
    pub layouts: Vec<Layout>,
}

/// A number that a type gives, or a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    Known(i64),
    /// The position of the parameter.
    Param(usize),
}

/// Offset, sizes and strides of a memref parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The position in the function's signature.
    pub arg: usize,
    pub offset: Number,
    pub sizes: Vec<Number>,
    pub strides: Vec<Number>,
}

impl Indices {
    /// Whether a launch keeps to 32 bits: `params` are the values of the
    /// kernel's parameters, `grid` and `block` its extents.
    ///
    /// # Errors
    ///
    /// What does not fit, and what would.
    pub fn check(&self, params: &[u64], grid: [u32; 3], block: [u32; 3]) -> Result<(), String> {
        const MOST: i128 = i32::MAX as i128;
        let over = |what: String, n: i128| {
            Err(format!(
                "{what} is {n}, but its kernel was compiled with --index-bitwidth=32; expected at most {MOST}, or --index-bitwidth=64"
            ))
        };
        for (d, name) in ["x", "y", "z"].iter().enumerate() {
            let threads = i128::from(grid[d]) * i128::from(block[d]);
            if threads > MOST {
                return over(format!("the number of threads in {name}"), threads);
            }
        }
        let value = |n: Number| match n {
            Number::Known(v) => i128::from(v),
            Number::Param(at) => params.get(at).map_or(0, |v| i128::from(*v as i64)),
        };
        for at in &self.scalars {
            let n = value(Number::Param(*at));
            if !(i128::from(i32::MIN)..=MOST).contains(&n) {
                return over(format!("the index parameter {at}"), n);
            }
        }
        for layout in &self.layouts {
            let mut extent = value(layout.offset);
            let mut empty = false;
            for (size, stride) in layout.sizes.iter().zip(&layout.strides) {
                let (size, stride) = (value(*size), value(*stride));
                for (what, n) in [("a size", size), ("a stride", stride)] {
                    if !(0..=MOST).contains(&n) {
                        return over(format!("{what} of argument {}", layout.arg), n);
                    }
                }
                empty |= size == 0;
                extent += size * stride;
            }
            if !empty && !(0..=MOST).contains(&extent) {
                let what = format!("the extent in elements of argument {}", layout.arg);
                return over(what, extent);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_and_what_does_not() {
        let indices = Indices {
            scalars: vec![0],
            layouts: vec![Layout {
                arg: 1,
                offset: Number::Known(0),
                sizes: vec![Number::Param(1), Number::Known(8)],
                strides: vec![Number::Param(2), Number::Known(1)],
            }],
        };
        let check = |params: [i64; 3], grid: u32| {
            indices.check(&params.map(|p| p as u64), [grid, 1, 1], [256, 1, 1])
        };
        assert_eq!(check([-5, 1000, 8], 4), Ok(()));
        assert_eq!(check([5, 0, 1 << 30], 4), Ok(()));
        for (params, grid, what) in [
            (
                [0, 1000, 8],
                1 << 23,
                "the number of threads in x is 2147483648",
            ),
            ([1 << 31, 1000, 8], 4, "the index parameter 0 is 2147483648"),
            ([0, 1 << 31, 1], 4, "a size of argument 1 is 2147483648"),
            ([0, 1000, -8], 4, "a stride of argument 1 is -8"),
            (
                [0, 1 << 20, 1 << 11],
                4,
                "the extent in elements of argument 1 is 2147483656",
            ),
        ] {
            let text = check(params, grid).unwrap_err();
            assert!(text.starts_with(what), "{text}");
        }
    }
}
