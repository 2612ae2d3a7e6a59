//! The functions of a thread that say what their own code uses, the innermost last.
//!
//! A function that others may call cannot know what its caller uses: when it returns, all that
//! stays on the device goes back. It stays where the caller says that it goes on saying it, just
//! in front of the call. Arrays of a function's own are gone when it returns, and nothing of
//! them goes back. `longjmp` leaves functions without a word. It was called by a
//! function that had to give up everything before, and what was noted of those that it left is
//! deeper in the stack than whatever begins or ends next.

use std::cell::RefCell;

/// What a thread knows of its functions.
#[derive(Debug, Default)]
struct Frames {
    /// The next function that begins was called by one that goes on saying what it uses.
    followed: bool,
    /// Arrays of functions that have not returned: where in the stack their function keeps its
    /// note, their first byte and that behind the last.
    arrays: Vec<(u64, u64, u64)>,
}

thread_local! {
    static FRAMES: RefCell<Frames> = RefCell::default();
}

/// The next call is of a function that says what it uses, or of any other.
pub fn calls(followed: bool) {
    FRAMES.with_borrow_mut(|f| f.followed = followed);
}

/// A function begins whose note is at this address: whether its caller follows it.
pub fn begin(note: u64) -> bool {
    FRAMES.with_borrow_mut(|f| {
        f.arrays.retain(|(at, ..)| *at > note);
        std::mem::take(&mut f.followed)
    })
}

/// An array lives as long as the function.
pub fn holds(note: u64, start: u64, end: u64) {
    FRAMES.with_borrow_mut(|f| f.arrays.push((note, start, end)));
}

/// It ends: its arrays. Nobody is followed who is not said to be again.
pub fn end(note: u64) -> Vec<(u64, u64)> {
    FRAMES.with_borrow_mut(|f| {
        f.followed = false;
        let is_mine = |a: &mut (u64, u64, u64)| a.0 <= note;
        let gone = f.arrays.extract_if(.., is_mine);
        gone.map(|(_, start, end)| (start, end)).collect()
    })
}
