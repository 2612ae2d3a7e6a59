//! A stack large enough for the deepest tree that the parser lets pass.

use std::thread::{Builder, scope};

/// Bytes, enough in a build without optimisation. Only what is used is ever touched.
const STACK: usize = 1 << 29;

/// Runs `f` on a thread with a large stack. The parser, and whoever walks its tree by
/// recursion, go as deep as an expression has operators.
///
/// An error says that there is no such thread; a panic of `f` goes on here.
pub fn on_large_stack<T: Send>(f: impl FnOnce() -> T + Send) -> Result<T, std::io::Error> {
    scope(|s| {
        let thread = Builder::new()
            .name("C front end".into())
            .stack_size(STACK)
            .spawn_scoped(s, f)?;
        match thread.join() {
            Ok(value) => Ok(value),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_much_of_it() {
        fn depth(n: u32) -> u32 {
            let padding = std::hint::black_box([n; 256]);
            if n == 0 {
                0
            } else {
                depth(n - 1) + padding[0] / n
            }
        }
        assert_eq!(on_large_stack(|| depth(100_000)).unwrap(), 100_000);
    }
}
