//! Sorting.
//!
//! ```
//! # use terrace::array::Context;
//! # let cx = Context::cpu();
//! let x = cx.vector(&[3.0, -1.0, 2.0])?;
//! let order = x.argsort()?;
//! assert_eq!(order.to_vec()?, [1, 2, 0]);
//! let name = cx.vector(&[30u32, 10, 20])?;
//! name.set(name.gather(&order))?;                    // and whatever else goes with x
//! x.sort()?;
//! // By several keys, the first from above.
//! let (a, b) = (cx.vector(&[1, 2, 1])?, cx.vector(&[0.5, 0.5, 0.25])?);
//! assert_eq!(cx.argsort((-&a, &b))?.to_vec()?, [1, 2, 0]);
//! # Ok::<(), terrace::array::ArrayError>(())
//! ```
//!
//! Keys become integers that have their order. The cores sort those by Rust's sort, and a device by
//! their digits ([`super::radix`]). Where a function orders both merge by the kernels of
//! [`super::merge`]. All is on one device. All are stable, so there is one result.

use super::arrays::{Array, memory_of};
use super::columns::Columns;
use super::context::Context;
use super::error::ArrayError;
use super::keys::{self, Key, Keys, Ordered};
use super::{merge, radix};
use crate::runtime::pool;
use std::panic::Location;
use terrace_dsl::{Element, Expr, index};

impl Context {
    /// The places of elements in the order of their keys: element 0 of the result says where the
    /// least one is. Elements with equal keys keep their order. [`Expr::gather`] puts arrays into
    /// that order.
    ///
    /// # Errors
    ///
    /// Keys have several axes or different lengths. As [`Array::set`] besides.
    #[track_caller]
    pub fn argsort(&self, keys: impl Keys) -> Result<Array<i64>, ArrayError> {
        let at = Location::caller();
        let n = keys.count(at)?;
        let keys = keys.ordered(self, at)?;
        match self.first_is_host() {
            true => self.vector(&host_order(&keys, n)?),
            false if n <= radix::MOST => digit_order(self, &keys, n),
            false => {
                let less = |l: &Vec<_>, r: &Vec<_>| keys::less(l, r);
                order(self, keys, n, &less)
            }
        }
    }

    /// As [`Context::argsort`], by a function that says whether an element comes before another
    /// one. It is called once, and becomes a part of kernels. It must be false of an element and
    /// itself, and of three that are in order true of the first and the last; of another function
    /// the order is any.
    ///
    /// # Errors
    ///
    /// As [`Context::argsort`], and what is wrong with the function's expression.
    #[track_caller]
    pub fn argsort_by<K: Keys>(
        &self,
        keys: K,
        less: impl Fn(
            &<K::Columns as Columns>::Elements,
            &<K::Columns as Columns>::Elements,
        ) -> Expr<bool>,
    ) -> Result<Array<i64>, ArrayError> {
        let at = Location::caller();
        let n = keys.count(at)?;
        order(self, keys.columns(self, at)?, n, &less)
    }
}

/// The order of keys that are on the first device, by their digits: the last key first, since each
/// sort keeps what those before it did.
fn digit_order(cx: &Context, keys: &[Ordered], n: usize) -> Result<Array<i64>, ArrayError> {
    let alone = cx.alone();
    let mut order = alone.zeros::<u32>(&[n])?;
    order.set(index(0).cast())?;
    for (k, key) in keys.iter().rev().enumerate() {
        let sorted = match key {
            Ordered::Narrow(a) => sorted_with(alone, a, &order, k > 0)?,
            Ordered::Wide(a) => sorted_with(alone, a, &order, k > 0)?,
        };
        order = sorted;
    }
    let places = alone.zeros::<i64>(&[n])?;
    places.set(order.cast())?;
    places.moved(cx)
}

/// An order of elements put into that of their keys. `moved` says that it is not that of the
/// elements themselves.
fn sorted_with<K: radix::Digits>(
    cx: &Context,
    keys: &Array<K>,
    order: &Array<u32>,
    moved: bool,
) -> Result<Array<u32>, ArrayError> {
    let keys = match moved && !keys.is_empty() {
        true => {
            let own = cx.zeros::<K>(&[keys.len()])?;
            own.set(keys.gather(order.cast()))?;
            own
        }
        false => keys.clone(),
    };
    let (_, with) = radix::sorted(cx, &keys, Some(order))?;
    Ok(with.unwrap_or_else(|| order.clone()))
}

/// The order of columns that are on the first device, by its kernels.
fn order<C: Columns>(
    cx: &Context,
    columns: C,
    n: usize,
    less: merge::Less<C::Elements>,
) -> Result<Array<i64>, ArrayError> {
    let alone = cx.alone();
    let places = alone.zeros::<i64>(&[n])?;
    // Places of 32 bits are half as much to move.
    if u32::try_from(n).is_ok() {
        let numbered = alone.zeros::<u32>(&[n])?;
        numbered.set(index(0).cast())?;
        let sorted = merge::sorted(alone, (columns, numbered), n, &|l, r| less(&l.0, &r.0))?;
        places.set(sorted.1.cast())?;
    } else {
        let numbered = alone.zeros::<i64>(&[n])?;
        numbered.set(index(0))?;
        let sorted = merge::sorted(alone, (columns, numbered), n, &|l, r| less(&l.0, &r.0))?;
        places.set(&sorted.1)?;
    }
    places.moved(cx)
}

impl<T: Key> Array<T> {
    /// Puts its elements in order, from the least to the greatest.
    ///
    /// # Errors
    ///
    /// It has several axes. As [`Array::set`] besides.
    #[track_caller]
    pub fn sort(&self) -> Result<(), ArrayError> {
        let at = Location::caller();
        let n = self.count(at)?;
        let cx = self.context();
        let order = cx.zeros::<T::Order>(&[n])?;
        order.set(T::order(self))?;
        let order = order.moved(cx.alone())?;
        let sorted = match cx.first_is_host() {
            true => {
                let memory = memory_of(order.view()?)?;
                let mut contents = memory.write();
                contents.check()?;
                match <T::Order as Element>::TYPE.size() {
                    8 => contents.in_place::<u64>(|all| pool::global().sort(all)),
                    _ => contents.in_place::<u32>(|all| pool::global().sort(all)),
                }
                drop(contents);
                order
            }
            false if n <= radix::MOST => radix::sorted(cx.alone(), &order, None)?.0,
            false => merge::sorted(cx.alone(), order, n, &|l, r| l.lt(r))?,
        };
        let sorted = sorted.moved(cx)?;
        self.set(T::back(&sorted))
    }

    /// The places of its elements in their order, as [`Context::argsort`].
    ///
    /// # Errors
    ///
    /// As there.
    #[track_caller]
    pub fn argsort(&self) -> Result<Array<i64>, ArrayError> {
        self.context().argsort(self)
    }
}

impl<T: Element> Array<T> {
    /// Puts its elements into the order of keys, of which there is one for each. Elements with equal
    /// keys keep their order.
    ///
    /// # Errors
    ///
    /// There are more keys or fewer. As [`Context::argsort`] besides.
    #[track_caller]
    pub fn sort_by_key(&self, keys: impl Keys) -> Result<(), ArrayError> {
        let order = self.context().argsort(keys)?;
        if order.len() == self.len() && self.is_empty() {
            return Ok(());
        }
        self.set(self.gather(&order))
    }
}

/// The order of keys, by the cores.
fn host_order(keys: &[Ordered], n: usize) -> Result<Vec<i64>, ArrayError> {
    let few = u32::try_from(n).is_ok();
    let places = 0..n as u64;
    Ok(match keys {
        // A key and a place in one number.
        [Ordered::Narrow(a)] if few => {
            let pairs = a.to_vec()?.into_iter().zip(places);
            let mut all: Vec<u64> = pairs.map(|(k, p)| u64::from(k) << 32 | p).collect();
            pool::global().sort(&mut all);
            let place = |v: u64| i64::from(v as u32);
            all.into_iter().map(place).collect()
        }
        [Ordered::Wide(a)] if few => {
            let pairs = a.to_vec()?.into_iter().zip(0u32..);
            let mut all: Vec<(u64, u32)> = pairs.collect();
            pool::global().sort(&mut all);
            all.into_iter().map(|(_, p)| i64::from(p)).collect()
        }
        keys => {
            // The last key first: each sort keeps what those before it did.
            let mut order: Vec<u64> = places.collect();
            for k in keys.iter().rev() {
                let key: Vec<u64> = match k {
                    Ordered::Narrow(a) => a.to_vec()?.into_iter().map(u64::from).collect(),
                    Ordered::Wide(a) => a.to_vec()?,
                };
                let numbered = order.iter().zip(0u64..);
                let mut all: Vec<(u64, u64)> =
                    numbered.map(|(p, rank)| (key[*p as usize], rank)).collect();
                pool::global().sort(&mut all);
                order = all
                    .into_iter()
                    .map(|(_, rank)| order[rank as usize])
                    .collect();
            }
            order.into_iter().map(|p| p as i64).collect()
        }
    })
}
