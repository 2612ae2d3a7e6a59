//! Descriptions of machines.

use terrace_ptx::machine::{Request, inconsistencies, occupancy, read, write};

/// # Panics
///
/// Where a description that is read is written otherwise, or an error has no place in the
/// text.
pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let machine = match read(&text) {
        Ok(m) => m,
        Err(errors) => {
            assert!(!errors.is_empty(), "refused without an error");
            let lines = text.split('\n').count();
            for e in errors {
                let inside = (1..=lines + 1).contains(&e.line) && e.column > 0;
                assert!(inside, "no place in the text: {e}");
            }
            return;
        }
    };
    let written = write(&machine);
    match read(&written) {
        Ok(again) => assert_eq!(write(&again), written),
        Err(e) => panic!("what is written is not read: {e:?}\n{written}"),
    }
    let _ = inconsistencies(&machine);
    for threads_per_block in [0, 1, 32, 1000, 1024, u32::MAX] {
        for (registers_per_thread, shared_per_block) in [(0, 0), (40, 1), (u32::MAX, u32::MAX)] {
            let request = Request {
                threads_per_block,
                registers_per_thread,
                shared_per_block,
            };
            // What does not fit is refused.
            let _ = occupancy(&machine, request);
        }
    }
}
