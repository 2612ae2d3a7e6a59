//! Calling compiled functions from Rust.

use super::abi::{MemTy, Repr, Scalar};
use super::module::NativeModule;
use super::support::round_half;
use super::trap::describe;
use terrace_ir::Loc;
use terrace_ir::types::DYNAMIC;

/// A memref as an argument or a result. Element `i` lies at `ptr` plus
/// `offset + sum(i[k] * strides[k])` elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemRef {
    pub ptr: *mut u8,
    pub offset: i64,
    pub sizes: Vec<i64>,
    pub strides: Vec<i64>,
}

impl MemRef {
    /// A row-major array without gaps.
    pub fn row_major(ptr: *mut u8, sizes: &[i64]) -> MemRef {
        let mut strides = vec![1i64; sizes.len()];
        for i in (1..sizes.len()).rev() {
            strides[i - 1] = strides[i].wrapping_mul(sizes[i]);
        }
        MemRef {
            ptr,
            offset: 0,
            sizes: sizes.to_vec(),
            strides,
        }
    }
}

/// An argument of a call. Numbers are converted to the parameter's type: integers wrap
/// to its width, floats are rounded to it.
#[derive(Debug, Clone, PartialEq)]
pub enum NativeArg {
    Int(i128),
    Float(f64),
    MemRef(MemRef),
}

/// A result of a call: integers sign-extended (an `i1` is 0 or 1), floats exactly.
pub type NativeScalar = NativeArg;

/// Why a call did not end well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeError {
    /// The op at which it failed; the function's where the call is wrong.
    pub loc: Loc,
    pub message: String,
}

impl std::fmt::Display for NativeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for NativeError {}

/// A function that can be called.
#[derive(Debug)]
pub(super) struct Entry {
    /// Of code with the signature [`Trampoline`].
    pub address: usize,
    pub inputs: Vec<Repr>,
    /// The words that these take.
    pub words: usize,
    pub results: Vec<Repr>,
    pub loc: Loc,
}

type Trampoline = unsafe extern "C" fn(args: *const u64, results: *mut u64) -> i32;

/// Words aligned as an `i128` wants it.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
struct Pair([u64; 2]);

/// `words`, followed by one more where they are odd, as pairs. An `i128` need not begin
/// a pair: compiled code reads it with instructions that do not ask for alignment.
fn pairs(words: &[u64]) -> Vec<Pair> {
    words
        .chunks(2)
        .map(|c| Pair([c[0], c.get(1).copied().unwrap_or(0)]))
        .collect()
}

impl NativeModule {
    /// Call a function and wait for it.
    ///
    /// # Errors
    /// Where there is no such function, the arguments do not fit its type, or it fails
    /// while it runs.
    ///
    /// # Safety
    /// Each memref argument points to memory that holds all elements its sizes and
    /// strides describe, aligned to their size, for as long as the function or anything
    /// it stored the pointer in uses it, and nothing else accesses that memory in a way
    /// that would be a data race. The program itself must not go out of bounds, free
    /// memory twice or use it after that (with `bounds_checks` it is stopped), and its
    /// parallel loops must not race. Memory that it returns may be freed by other calls. Imported
    /// functions must have the signatures that the module documentation tells.
    pub unsafe fn call(
        &self,
        func: &str,
        args: &[NativeArg],
    ) -> Result<Vec<NativeScalar>, NativeError> {
        // SAFETY: by the contract.
        unsafe { self.call_then(func, args, true, |_, results| Ok(results)) }
    }

    /// As [`NativeModule::call`], and does something with the results before memory is freed that
    /// the program has allocated. Where `keep` says so, what it may have returned stays.
    ///
    /// # Errors
    /// As [`NativeModule::call`], and those of `then`, about the function.
    ///
    /// # Safety
    /// As [`NativeModule::call`].
    pub(super) unsafe fn call_then<R>(
        &self,
        func: &str,
        args: &[NativeArg],
        keep: bool,
        then: impl FnOnce(&Entry, Vec<NativeScalar>) -> Result<R, String>,
    ) -> Result<R, NativeError> {
        let Some(e) = self.entries.get(func) else {
            let message = format!("there is no function '@{func}' with a body");
            return Err(NativeError {
                loc: Loc::Unknown,
                message,
            });
        };
        let fail = |message| NativeError {
            loc: e.loc,
            message,
        };
        if args.len() != e.inputs.len() {
            return Err(fail(format!(
                "'@{func}' takes {} arguments, found {}",
                e.inputs.len(),
                args.len()
            )));
        }
        let mut words = Vec::new();
        for (i, (a, r)) in args.iter().zip(&e.inputs).enumerate() {
            pack(a, r, &mut words).map_err(|m| fail(format!("argument {i} of '@{func}' {m}")))?;
        }
        let count: usize = e.results.iter().map(words_of).sum();
        let packed = pairs(&words);
        let mut out = vec![Pair([0; 2]); count.div_ceil(2).max(1)];
        self.shared.enter();
        // SAFETY: the address is that of a trampoline, which `self` keeps alive. It
        // reads as many words as the inputs take and writes as many as the results do.
        let status = unsafe {
            let f = std::mem::transmute::<usize, Trampoline>(e.address);
            let (from, to) = (packed.as_ptr().cast(), out.as_mut_ptr().cast());
            self.subnormals.or_current_around(|| f(from, to))
        };
        let keeps = keep && e.results.iter().any(|r| matches!(r, Repr::Mem(_)));
        let mut words = out.iter().flat_map(|p| p.0);
        let made = (status == 0).then(|| {
            let results = e.results.iter().filter_map(|r| unpack(r, &mut words));
            then(e, results.collect())
        });
        self.shared.leave(status == 0 && keeps);
        match made {
            Some(r) => r.map_err(fail),
            None => {
                let (loc, message) = describe(&self.sites, &self.shared, status);
                Err(NativeError { loc, message })
            }
        }
    }
}

impl NativeModule {
    /// Call a function without results, with its arguments as the words that the head of
    /// [`crate::native`] tells. Nothing is allocated.
    ///
    /// # Errors
    /// Where there is no such function, it takes another number of words or has results, or it
    /// fails while it runs.
    ///
    /// # Safety
    /// As [`NativeModule::call`]. No argument is an integer of more than 64 bits.
    pub unsafe fn call_words(&self, func: &str, words: &[u64]) -> Result<(), NativeError> {
        let entry = self
            .entries
            .get(func)
            .filter(|e| e.results.is_empty() && e.words == words.len());
        let Some(e) = entry else {
            let n = words.len();
            return Err(NativeError {
                loc: Loc::Unknown,
                message: format!("there is no function '@{func}' of {n} words without results"),
            });
        };
        let mut none = 0;
        self.shared.enter();
        // SAFETY: the address is that of a trampoline, which `self` keeps alive. It reads as many
        // words as the inputs take, which was checked, and writes none.
        let status = unsafe {
            let f = std::mem::transmute::<usize, Trampoline>(e.address);
            self.subnormals
                .or_current_around(|| f(words.as_ptr(), &mut none))
        };
        self.shared.leave(false);
        if status != 0 {
            let (loc, message) = describe(&self.sites, &self.shared, status);
            return Err(NativeError { loc, message });
        }
        Ok(())
    }
}

/// The words a value takes.
pub(super) fn words_of(r: &Repr) -> usize {
    match r {
        Repr::Scalar(Scalar::Int(65..)) => 2,
        r => r.parts().len(),
    }
}

fn pack(a: &NativeArg, r: &Repr, words: &mut Vec<u64>) -> Result<(), String> {
    match (a, r) {
        (NativeArg::Int(v), Repr::Scalar(Scalar::Int(bits))) => {
            let v = *v as u128 & (u128::MAX >> (128 - bits));
            words.push(v as u64);
            if *bits > 64 {
                words.push((v >> 64) as u64);
            }
            Ok(())
        }
        (NativeArg::Int(v), Repr::Func) => {
            words.push(*v as u64);
            Ok(())
        }
        (NativeArg::Float(v), Repr::Scalar(kind)) if kind.is_float() => {
            words.push(match kind {
                Scalar::F64 => v.to_bits(),
                Scalar::F32 => u64::from((*v as f32).to_bits()),
                k => u64::from(round_half(*v, *k == Scalar::BF16).to_bits()),
            });
            Ok(())
        }
        (NativeArg::MemRef(m), Repr::Mem(ty)) => pack_memref(m, ty, words),
        (NativeArg::Int(_), _) => Err("is not an integer".into()),
        (NativeArg::Float(_), _) => Err("is not a float".into()),
        (NativeArg::MemRef(_), _) => Err("is not a memref".into()),
    }
}

fn pack_memref(m: &MemRef, ty: &MemTy, words: &mut Vec<u64>) -> Result<(), String> {
    let rank = ty.shape.len();
    if m.sizes.len() != rank || m.strides.len() != rank {
        return Err(format!(
            "is a memref of rank {rank}, found rank {}",
            m.sizes.len()
        ));
    }
    if let Some(n) = m.sizes.iter().find(|n| **n < 0) {
        return Err(format!("has the negative size {n}"));
    }
    words.push(m.ptr as u64);
    let mut take = |have: i64, want: i64, what: &str| {
        if want == DYNAMIC {
            words.push(have as u64);
        } else if have != want {
            return Err(format!("has {what} {want}, found {have}"));
        }
        Ok(())
    };
    take(m.offset, ty.offset, "the offset")?;
    for (k, (have, want)) in m.sizes.iter().zip(&ty.shape).enumerate() {
        take(*have, *want, &format!("in dimension {k} the size"))?;
    }
    // The stride of a dimension that is not stepped along does not matter.
    let used = |k: usize| m.sizes[k] > 1 && m.sizes.iter().all(|n| *n > 0);
    for (k, (have, want)) in m.strides.iter().zip(&ty.strides).enumerate() {
        let have = if used(k) || *want == DYNAMIC {
            *have
        } else {
            *want
        };
        take(have, *want, &format!("in dimension {k} the stride"))?;
    }
    Ok(())
}

fn unpack(r: &Repr, words: &mut impl Iterator<Item = u64>) -> Option<NativeScalar> {
    Some(match r {
        // No function takes or gives vectors.
        Repr::Token | Repr::Vector(_) => return None,
        Repr::Func => NativeArg::Int(i128::from(words.next()?)),
        Repr::Scalar(Scalar::Int(bits)) => {
            let mut v = u128::from(words.next()?);
            if *bits > 64 {
                v |= u128::from(words.next()?) << 64;
            }
            let up = 128 - bits;
            match *bits {
                1 => NativeArg::Int((v & 1) as i128),
                _ => NativeArg::Int((v << up) as i128 >> up),
            }
        }
        Repr::Scalar(Scalar::F64) => NativeArg::Float(f64::from_bits(words.next()?)),
        Repr::Scalar(_) => NativeArg::Float(f64::from(f32::from_bits(words.next()? as u32))),
        Repr::Mem(ty) => {
            let ptr = words.next()? as *mut u8;
            let mut take = |known: i64| match known {
                DYNAMIC => words.next().map(|w| w as i64),
                k => Some(k),
            };
            let offset = take(ty.offset)?;
            let sizes = ty.shape.iter().map(|d| take(*d)).collect::<Option<_>>()?;
            let strides = ty.strides.iter().map(|d| take(*d)).collect::<Option<_>>()?;
            NativeArg::MemRef(MemRef {
                ptr,
                offset,
                sizes,
                strides,
            })
        }
    })
}
