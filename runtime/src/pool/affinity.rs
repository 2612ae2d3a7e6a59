//! Which cores a thread may run on.

use std::fmt;

/// Why threads are not kept on cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unpinned;

impl fmt::Display for Unpinned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "threads cannot be pinned to cores on {}, only on linux",
            std::env::consts::OS
        )
    }
}

/// The cores that this thread may run on, by number; none where the system does not say.
pub fn allowed() -> Vec<usize> {
    system::allowed()
}

/// Keeps this thread on one core. Whether the system has done it.
pub fn pin(core: usize) -> bool {
    system::pin(core)
}

/// The core of each of so many threads that work beside the calling one: the first of
/// `allowed` is left to that one, and where there are more threads than cores they share.
pub fn places(allowed: &[usize], workers: usize) -> Vec<usize> {
    let around = allowed.iter().copied().cycle().skip(1);
    around.take(workers).collect()
}

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::{c_int, c_ulong};

    const BITS: usize = c_ulong::BITS as usize;
    /// Words of a mask: of as many cores as Linux is built for at most.
    const WORDS: usize = 8192 / BITS;

    unsafe extern "C" {
        fn sched_getaffinity(thread: c_int, bytes: usize, mask: *mut c_ulong) -> c_int;
        fn sched_setaffinity(thread: c_int, bytes: usize, mask: *const c_ulong) -> c_int;
    }

    pub fn allowed() -> Vec<usize> {
        let mut mask = [0; WORDS];
        // SAFETY: the mask has as many bytes; 0 is this thread.
        let said = unsafe { sched_getaffinity(0, size_of_val(&mask), mask.as_mut_ptr()) };
        let has = |core: &usize| mask[core / BITS] >> (core % BITS) & 1 == 1;
        match said {
            0 => (0..WORDS * BITS).filter(has).collect(),
            _ => Vec::new(),
        }
    }

    pub fn pin(core: usize) -> bool {
        let mut mask = [0; WORDS];
        let Some(word) = mask.get_mut(core / BITS) else {
            return false;
        };
        *word = 1 << (core % BITS);
        // SAFETY: as above; the mask is only read.
        unsafe { sched_setaffinity(0, size_of_val(&mask), mask.as_ptr()) == 0 }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub fn allowed() -> Vec<usize> {
        Vec::new()
    }

    pub fn pin(_: usize) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caller_has_the_first_core() {
        assert_eq!(places(&[3, 5, 6], 2), [5, 6]);
        assert_eq!(places(&[3, 5, 6], 4), [5, 6, 3, 5]);
        assert_eq!(places(&[7], 2), [7, 7]);
        assert!(places(&[], 2).is_empty());
        let said = Unpinned.to_string();
        assert!(said.ends_with(", only on linux"), "{said}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_stays_where_it_is_put() {
        std::thread::spawn(|| {
            let cores = allowed();
            let last = *cores.last().unwrap();
            assert!(pin(last));
            assert_eq!(allowed(), [last]);
            assert!(!pin(1 << 20));
            assert_eq!(allowed(), [last]);
        })
        .join()
        .unwrap();
    }
}
