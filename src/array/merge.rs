//! Sorting by kernels: runs of elements that are in order are merged two by two.
//!
//! On a device each element finds its place by itself. That is as far on in its own run as it is, and behind
//! those of the other run that come before it, which a binary search counts. So all elements
//! are placed at once, and each merge is one kernel that writes to places which differ. The first
//! runs are found by comparing each element of a few with all of them. Elements that are equal
//! keep their order: of two runs the first one's come first.
//!
//! On the cores a thread writes [`CHUNK`] elements side by side. A binary search finds how many of the
//! elements before those are from the first run, and then one comparison tells each next one. So most
//! elements need no search: S. Odeh, O. Green, Z. Mwassi, O. Shmueli and Y. Birk, "Merge path", 2012.
//!
//! The method of devices is in T. Hagerup and C. Rub, "Optimal merging and sorting on the EREW PRAM", 1989,
//! and goes back to F. Gavril, "Merging with parallel processors", 1975.

use super::columns::Columns;
use super::context::Context;
use super::error::ArrayError;
use terrace_dsl::{Bits, Expr, Integer, constant, index, iterate, iterate_over, parameter};

/// The length of the first runs on a device. Threads side by side compare with the same elements.
const FIRST: usize = 32;

/// How many elements a thread of the cores merges, and the length of its first runs.
const CHUNK: usize = 8;

/// Whether an element comes before another one.
pub(super) type Less<'f, E> = &'f dyn Fn(&E, &E) -> Expr<bool>;

/// The columns with their elements in order.
///
/// # Errors
///
/// What the compiler or the device say, or memory is short.
pub(super) fn sorted<C: Columns>(
    cx: &Context,
    columns: C,
    n: usize,
    less: Less<C::Elements>,
) -> Result<C, ArrayError> {
    if n < 2 {
        return Ok(columns);
    }
    let lengths = columns.lengths();
    if lengths.iter().any(|l| *l != n) {
        let what =
            format!("a fault of terrace's own: columns of {lengths:?} elements are sorted as {n}");
        return Err(ArrayError::Device(what));
    }
    let (mut from, mut to) = (columns.like()?, columns.like()?);
    let first = match cx.first_is_host() {
        true => CHUNK,
        false => FIRST,
    };
    let places = place_in_first(&columns, n, first, less);
    // SAFETY: an element of a run has a place in it, whatever `less` says: behind at most all others
    // of them. All columns have `n` elements, and runs lie in them.
    unsafe { write(cx, &columns, &from, &places)? };
    let mut width = first;
    // Numbers of 32 bits cost a device half of what those of 64 do. What is behind the end of two runs
    // is one too.
    let fits = 2 * n as u64 + CHUNK as u64 <= i32::MAX as u64;
    while width < n {
        if cx.first_is_host() {
            match fits {
                true => merge_in_chunks::<C, i32>(cx, &from, &to, (n, width), less)?,
                false => merge_in_chunks::<C, i64>(cx, &from, &to, (n, width), less)?,
            }
            std::mem::swap(&mut from, &mut to);
            width *= 2;
            continue;
        }
        let places = match fits {
            true => place_in_merged::<C, i32>(&from, n, width, less),
            false => place_in_merged::<C, i64>(&from, n, width, less),
        };
        // SAFETY: a place is as far from the beginning of both runs as the element is in its own,
        // and as many more as the search counts, which is at most all of the other run.
        unsafe { write(cx, &from, &to, &places)? };
        std::mem::swap(&mut from, &mut to);
        width *= 2;
    }
    Ok(from)
}

/// Puts all elements to their places.
///
/// # Safety
///
/// Places are at least 0 and less than the number of elements.
unsafe fn write<C: Columns>(
    cx: &Context,
    from: &C,
    to: &C,
    places: &Expr<i64>,
) -> Result<(), ArrayError> {
    let mut all = Vec::new();
    // SAFETY: by the contract.
    unsafe { to.write(places, None, &from.own(), &mut all) };
    cx.assign(all)
}

/// The place of each element in its first run of `first` elements, a power of two. There are `n` elements in each column.
fn place_in_first<C: Columns>(
    columns: &C,
    n: usize,
    first: usize,
    less: Less<C::Elements>,
) -> Expr<i64> {
    let own = index(0);
    let mine = columns.own();
    let low = &own & constant(!(first as i64 - 1));
    let high = (&low + first as i64).min(n as i64);
    let [before] = iterate_over(&low, high, [constant(0)], |k, [before]| {
        // SAFETY: `k` counts from what is not below 0 to what is not above `n`.
        let other = unsafe { columns.elements_at(&k) };
        // Of equal ones that in front comes first.
        let front = k.lt(&own);
        let (left, right) = (
            C::choose(&front, &mine, &other),
            C::choose(&front, &other, &mine),
        );
        let comes = less(&left, &right) ^ front;
        [before + (comes & k.ne(&own)).cast::<i64>()]
    });
    low + before
}

/// Merges runs of `width` elements two by two, a few elements in each iteration. There are `n`
/// elements in each column, at least two, and `width` is a power of two and no less than [`CHUNK`].
fn merge_in_chunks<C: Columns, I: Integer + Bits>(
    cx: &Context,
    columns: &C,
    to: &C,
    (n, width): (usize, usize),
    less: Less<C::Elements>,
) -> Result<(), ArrayError> {
    let number = |v: i64| parameter(I::from_bits((v as u64).into()));
    let known = |v: usize| constant(I::from_bits(v as u128));
    let chunks = n.div_ceil(CHUNK);
    // It says how many chunks there are, and is 0.
    let shape = cx.zeros::<I>(&[1])?.broadcast(&[chunks]);
    let (size, width) = (n as i64, width as i64);
    let begin = index(0).cast::<I>() * known(CHUNK) + &shape;
    let low = &begin & number(!(2 * width - 1));
    let middle = (&low + number(width)).min(number(size));
    let high = (&middle + number(width)).min(number(size));
    let at = |p: &Expr<I>| {
        let place = p.min(number(size - 1)).cast();
        // SAFETY: places are brought down to the last one. None is below 0: what is taken off a place
        // is at most what it is above the first of its run, and 1 more where runs have an element
        // before.
        unsafe { columns.elements_at(&place) }
    };
    // Of the elements before, how many are from the first run.
    let before = &begin - &low;
    let least = (&before - (&high - &middle)).max(known(0));
    let most = before.min(&middle - &low);
    let steps = u64::from(width.ilog2()) + 1;
    let [found, _] = iterate(steps, [least, most], |[from, to]| {
        let half = (&from + &to) >> known(1);
        let right = &middle + (&before - &half - known(1));
        let comes = less(&at(&right), &at(&(&low + &half)));
        let open = from.lt(&to);
        [
            (&open & !&comes).select(&half + known(1), &from),
            (open & comes).select(&half, &to),
        ]
    });
    let (mut left, mut right) = (&low + &found, &middle + (&before - found));
    let mut all = Vec::new();
    for k in 0..CHUNK {
        let (first, second) = (at(&left), at(&right));
        let takes = right.lt(&high) & (left.ge(&middle) | less(&second, &first));
        let own = &begin + known(k);
        let there = own.lt(&high);
        let element = C::choose(&takes, &second, &first);
        // SAFETY: what is written is before the end, and each iteration has places of its own.
        unsafe { to.write(&own.cast(), Some(&there), &element, &mut all) };
        left = takes.select(&left, &left + known(1));
        right = takes.select(&right + known(1), &right);
    }
    cx.assign(all)
}

/// The place of each element in the run that its run and the other one of the two become. Runs have
/// `width` elements, a power of two. There are `n` elements in each column, at least one, and twice
/// that is a number of type `I`.
fn place_in_merged<C: Columns, I: Integer + Bits>(
    columns: &C,
    n: usize,
    width: usize,
    less: Less<C::Elements>,
) -> Expr<i64> {
    let number = |v: i64| parameter(I::from_bits((v as u64).into()));
    let one = || constant(I::from_bits(1));
    let own: Expr<I> = index(0).cast();
    let mine = columns.own();
    let low = &own & number(!(2 * width as i64 - 1));
    let middle = (&low + number(width as i64)).min(number(n as i64));
    let high = (&middle + number(width as i64)).min(number(n as i64));
    let first = own.lt(&middle);
    let second = !&first;
    let ends = [first.select(&middle, &low), first.select(&high, &middle)];
    // As many halvings as bring any run to nothing.
    let steps = u64::from(width.ilog2()) + 1;
    let [found, _] = iterate(steps, ends.each_ref(), |[from, to]| {
        let at = (&from + &to) >> one();
        // Behind the last step both may be `n`.
        let place = at.min(number(n as i64 - 1)).cast();
        // SAFETY: both ends are from 0 to `n`.
        let other = unsafe { columns.elements_at(&place) };
        let (left, right) = (
            C::choose(&first, &other, &mine),
            C::choose(&first, &mine, &other),
        );
        // The other one comes before this one: of two that are equal that of the first run.
        let comes = less(&left, &right) ^ &second;
        let open = from.lt(&to);
        [
            (&open & &comes).select(&at + one(), &from),
            (open & !comes).select(&at, &to),
        ]
    });
    (own + found - middle).cast()
}
