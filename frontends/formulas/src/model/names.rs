//! Names that were perhaps meant.

/// The name of `all` that differs least from `name`, if that is not much.
pub fn nearest<'n>(name: &str, all: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let limit = (name.chars().count() + 1) / 3;
    let found = all.into_iter().map(|n| (distance(name, n), n));
    found.filter(|(d, _)| *d <= limit).min().map(|(_, n)| n)
}

/// How many letters have to be put in, left out or changed; a change of case counts as none.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = before + usize::from(x != *y);
            before = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(before + 1);
        }
    }
    row[b.len()]
}
