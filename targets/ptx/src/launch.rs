//! What launches must keep to where index arithmetic is done in 32 bits. Whoever launches
//! checks it: a session that holds the compiler's results, or the runtime of a program,
//! which has them as words of an object file.

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

/// What a message is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// The scalar of the parameter at this position.
    Scalar(usize),
    /// The memref of [`Layout::arg`].
    Array(usize),
}

impl Subject {
    /// By position, where nothing else is known.
    pub fn by_position(self) -> String {
        match self {
            Subject::Scalar(at) => format!("the index parameter {at}"),
            Subject::Array(arg) => format!("argument {arg}"),
        }
    }
}

impl Indices {
    /// Whether a launch keeps to 32 bits: `params` are the values of the
    /// kernel's parameters, `grid` and `block` its extents; `name` says what
    /// messages call things.
    ///
    /// # Errors
    ///
    /// What does not fit, and what would.
    pub fn check(
        &self,
        params: &[u64],
        grid: [u32; 3],
        block: [u32; 3],
        name: &dyn Fn(Subject) -> String,
    ) -> Result<(), String> {
        const MAX: i128 = i32::MAX as i128;
        let over = |what: String, n: i128| {
            Err(format!(
                "{what} is {n}, but its kernel was compiled with --index-bitwidth=32; expected at most {MAX}, or --index-bitwidth=64"
            ))
        };
        for (d, name) in ["x", "y", "z"].iter().enumerate() {
            let threads = i128::from(grid[d]) * i128::from(block[d]);
            if threads > MAX {
                return over(format!("the number of threads in {name}"), threads);
            }
        }
        let value = |n: Number| match n {
            Number::Known(v) => i128::from(v),
            Number::Param(at) => params.get(at).map_or(0, |v| i128::from(*v as i64)),
        };
        for at in &self.scalars {
            let n = value(Number::Param(*at));
            if !(i128::from(i32::MIN)..=MAX).contains(&n) {
                return over(name(Subject::Scalar(*at)), n);
            }
        }
        for layout in &self.layouts {
            let mut extent = value(layout.offset);
            let mut empty = false;
            for (size, stride) in layout.sizes.iter().zip(&layout.strides) {
                let (size, stride) = (value(*size), value(*stride));
                for (what, n) in [("a size", size), ("a stride", stride)] {
                    if !(0..=MAX).contains(&n) {
                        return over(format!("{what} of {}", name(Subject::Array(layout.arg))), n);
                    }
                }
                empty |= size == 0;
                extent += size * stride;
            }
            if !empty && !(0..=MAX).contains(&extent) {
                let array = name(Subject::Array(layout.arg));
                return over(format!("the extent in elements of {array}"), extent);
            }
        }
        Ok(())
    }

    /// All of it as words, which [`Self::from_words`] reads.
    pub fn words(&self) -> Vec<i64> {
        let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        let mut out = vec![count(self.scalars.len())];
        out.extend(self.scalars.iter().map(|at| count(*at)));
        for l in &self.layouts {
            out.extend([count(l.arg), count(l.sizes.len())]);
            for n in [l.offset].iter().chain(&l.sizes).chain(&l.strides) {
                out.extend(match n {
                    Number::Known(v) => [0, *v],
                    Number::Param(at) => [1, count(*at)],
                });
            }
        }
        out
    }

    /// What [`Self::words`] wrote; `None` of words that it did not write.
    pub fn from_words(words: &[i64]) -> Option<Indices> {
        let mut rest = words.iter().copied();
        let position = |n: Option<i64>| usize::try_from(n?).ok();
        let mut found = Indices::default();
        for _ in 0..position(rest.next())? {
            found.scalars.push(position(rest.next())?);
        }
        while let Some(arg) = rest.next() {
            let rank = position(rest.next())?;
            let mut number = || match (rest.next()?, rest.next()?) {
                (0, v) => Some(Number::Known(v)),
                (1, at) => Some(Number::Param(position(Some(at))?)),
                _ => None,
            };
            let offset = number()?;
            // Collecting ends at the first word that is missing, however many there
            // should be.
            let sizes = (0..rank).map(|_| number()).collect::<Option<_>>()?;
            let strides = (0..rank).map(|_| number()).collect::<Option<_>>()?;
            found.layouts.push(Layout {
                arg: position(Some(arg))?,
                offset,
                sizes,
                strides,
            });
        }
        Some(found)
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
            let params = params.map(|p| p as u64);
            let name = &Subject::by_position;
            indices.check(&params, [grid, 1, 1], [256, 1, 1], name)
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

    #[test]
    fn words_and_back() {
        let indices = Indices {
            scalars: vec![3, 4],
            layouts: vec![
                Layout {
                    arg: 1,
                    offset: Number::Known(-1),
                    sizes: vec![Number::Param(1), Number::Known(8)],
                    strides: vec![Number::Param(2), Number::Known(1)],
                },
                Layout {
                    arg: 2,
                    offset: Number::Param(5),
                    sizes: Vec::new(),
                    strides: Vec::new(),
                },
            ],
        };
        let words = indices.words();
        assert_eq!(Indices::from_words(&words), Some(indices));
        assert_eq!(Indices::from_words(&[0]), Some(Indices::default()));
        for n in [0, 1, 2, 4, 5, words.len() - 1] {
            assert_eq!(Indices::from_words(&words[..n]), None, "{n}");
        }
        assert_eq!(Indices::from_words(&[0, 1, i64::MAX, 0, 1]), None);
    }
}
