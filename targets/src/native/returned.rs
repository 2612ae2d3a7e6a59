//! Calls that return arrays: they are copied, in row-major order, before the memory that the
//! program has allocated is given back.

use super::abi::{MemTy, Repr};
use super::call::{MemRef, NativeArg, NativeError, NativeScalar};
use super::module::NativeModule;
use terrace_dialects::memref::layout::Strides;

/// A result of a call, with what it holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Returned {
    /// A number.
    Scalar(NativeScalar),
    /// A memref: its sizes, outermost first, and its elements in row-major order.
    Array {
        /// Outermost first.
        sizes: Vec<i64>,
        /// The elements, as they lie in memory.
        bytes: Vec<u8>,
    },
}

/// The bytes that the elements of a memref lie in: the address, and how many there are. `None` where
/// they do not fit.
fn extent(m: &MemRef, element: usize) -> Option<(usize, usize)> {
    if m.sizes.contains(&0) {
        return Some((m.ptr as usize, 0));
    }
    let at = Strides {
        strides: m.strides.clone(),
        offset: m.offset,
    };
    let (first, last) = at.range(&m.sizes)?;
    let bytes = |n: i64| n.checked_mul(i64::try_from(element).ok()?);
    let address = (m.ptr as usize).checked_add_signed(isize::try_from(bytes(first)?).ok()?)?;
    let count = usize::try_from(last.checked_sub(first)?.checked_add(1)?).ok()?;
    Some((address, count.checked_mul(element)?))
}

impl NativeModule {
    /// Call a function and wait for it. Memrefs that it returns are copied. They are to be of memory
    /// that it has allocated and not freed, of an argument or of a global, or what `others` knows
    /// by its address and bytes.
    ///
    /// # Errors
    /// As [`NativeModule::call`], and a result whose memory is none of these, where accesses are
    /// checked.
    ///
    /// # Safety
    /// As [`NativeModule::call`]. Without checks, and of memory that `others` knows, what the program
    /// returns is to be there.
    pub unsafe fn call_copying(
        &self,
        func: &str,
        args: &[NativeArg],
        others: &dyn Fn(usize, usize) -> bool,
    ) -> Result<Vec<Returned>, NativeError> {
        let copied = |e: &super::call::Entry, results: Vec<NativeScalar>| {
            let known = |address, bytes| {
                let of_argument = args.iter().zip(&e.inputs).any(|(a, r)| match (a, r) {
                    (NativeArg::MemRef(m), Repr::Mem(ty)) => {
                        let element = ty.elem.bytes() as usize;
                        extent(m, element).is_some_and(|(at, all)| within(address, bytes, at, all))
                    }
                    _ => false,
                });
                !self.own_heap
                    || of_argument
                    || self.shared.holds(address, bytes)
                    || self.globals.holds(address, bytes)
                    || others(address, bytes)
            };
            let mut all = Vec::new();
            for (i, (value, r)) in results.into_iter().zip(&e.results).enumerate() {
                all.push(match (value, r) {
                    // SAFETY: the memory was found to be there, or is by the contract.
                    (NativeArg::MemRef(m), Repr::Mem(ty)) => unsafe { copy(&m, ty, known) }
                        .map_err(|what| format!("'@{func}' returns as result {i} {what}"))?,
                    (v, _) => Returned::Scalar(v),
                });
            }
            Ok(all)
        };
        // SAFETY: by the contract.
        unsafe { self.call_then(func, args, false, copied) }
    }
}

/// Whether bytes lie within others.
fn within(address: usize, bytes: usize, at: usize, all: usize) -> bool {
    let skipped = address.checked_sub(at);
    let end = skipped.and_then(|s| s.checked_add(bytes));
    end.is_some_and(|e| e <= all)
}

/// The elements of a memref, whose memory is `known`, in row-major order.
///
/// # Safety
/// Memory that is said to be known is there.
unsafe fn copy(
    m: &MemRef,
    ty: &MemTy,
    known: impl Fn(usize, usize) -> bool,
) -> Result<Returned, &'static str> {
    let element = ty.elem.bytes() as usize;
    let (address, bytes) = extent(m, element).ok_or("an array that no memory holds")?;
    if bytes > 0 && !known(address, bytes) {
        return Err(
            "memory that the program has freed, or that it neither allocated nor was given; \
             expected an array that it allocates, an argument or a global",
        );
    }
    let empty = m.sizes.contains(&0);
    let count = m
        .sizes
        .iter()
        .try_fold(1usize, |n, s| n.checked_mul(usize::try_from(*s).ok()?));
    let count = count.ok_or("an array that no memory holds")?;
    let mut out = Vec::new();
    out.try_reserve_exact(count.saturating_mul(element))
        .map_err(|_| "an array that there is no memory to copy")?;
    let mut at = vec![0i64; m.sizes.len()];
    while !empty && out.len() < count * element {
        let place: i64 = at.iter().zip(&m.strides).map(|(i, s)| i * s).sum();
        // SAFETY: `extent` has found that all places fit, and their memory is known.
        let from = unsafe {
            let p = m.ptr.offset((m.offset + place) as isize * element as isize);
            std::slice::from_raw_parts(p, element)
        };
        out.extend_from_slice(from);
        for k in (0..at.len()).rev() {
            at[k] += 1;
            if at[k] < m.sizes[k] {
                break;
            }
            at[k] = 0;
        }
    }
    Ok(Returned::Array {
        sizes: m.sizes.clone(),
        bytes: out,
    })
}
