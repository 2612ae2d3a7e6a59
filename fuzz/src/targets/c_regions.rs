//! C with directives, all the way: rewritten text and object code, or messages with places.

#[path = "../../../test/c_mutations/check.rs"]
mod whole;

/// # Panics
///
/// With what is wrong with what becomes of the file.
pub fn check(data: &[u8]) {
    if data.len() > super::MAX_BYTES {
        return;
    }
    let text = String::from_utf8_lossy(data);
    // Lines may name another file then, and places are looked for in this one.
    let other = |l: &str| {
        let l = l.trim_start();
        l.strip_prefix('#')
            .is_some_and(|d| !d.trim_start().starts_with("pragma"))
    };
    if text.lines().any(other) {
        return;
    }
    if let Err(why) = whole::check(&text, false) {
        panic!("{why}");
    }
}
