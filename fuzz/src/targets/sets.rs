//! Sets and maps of integers as text.

use terrace_presburger::Relation;

/// Beyond this, questions may take long without being wrong.
const MAX_BYTES: usize = 256;

/// # Panics
///
/// Where printed text is not read back, or as another set, an error has no place in the
/// text, or operations contradict each other.
pub fn check(data: &[u8]) {
    if data.len() > MAX_BYTES {
        return;
    }
    let text = String::from_utf8_lossy(data);
    let (set, names) = match Relation::parse_with_names(&text) {
        Ok(s) => s,
        Err(e) => {
            assert!(
                e.offset <= text.len() && e.line > 0 && e.column > 0,
                "{e:?}"
            );
            return;
        }
    };
    let printed = set.named(&names).to_string();
    let again = match Relation::parse_with_names(&printed) {
        Ok((again, _)) => again,
        Err(e) => panic!("printed text is not read: {e}\n{printed}"),
    };
    assert_eq!(again.space(), set.space(), "{printed}");
    // What a budget prevents is no answer.
    assert_ne!(set.is_equal(&again), Ok(false), "another set: {printed}");
    let coalesced = set.coalesce();
    assert_ne!(set.is_equal(&coalesced), Ok(false), "coalesced: {printed}");
    let (Ok(Some(point)), Ok(without)) = (set.sample(), set.complement()) else {
        return;
    };
    assert_ne!(set.contains(&point), Ok(false), "{point:?} of {printed}");
    assert_ne!(
        without.contains(&point),
        Ok(true),
        "{point:?} not of {printed}"
    );
    if let Ok(first) = set.lexmin() {
        assert_ne!(first.is_subset(&set), Ok(false), "lexmin of {printed}");
    }
}
