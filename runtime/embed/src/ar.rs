//! Archives in the format of System V: the index of symbols, and an archive of one member.

const MAGIC: &[u8] = b"!<arch>\n";
const HEADER: usize = 60;

/// The names in the index of an archive, which is its first member. None where there is no index.
pub fn symbols(archive: &[u8]) -> Option<Vec<&str>> {
    let rest = archive.strip_prefix(MAGIC)?;
    let (header, rest) = rest.split_at_checked(HEADER)?;
    let name = std::str::from_utf8(&header[..16]).ok()?.trim_end();
    let bytes: usize = std::str::from_utf8(&header[48..58])
        .ok()?
        .trim_end()
        .parse()
        .ok()?;
    let index = rest.get(..bytes)?;
    let width = match name {
        "/" => 4,
        "/SYM64/" => 8,
        _ => return None,
    };
    let (count, rest) = index.split_at_checked(width)?;
    let count = count.iter().fold(0, |n, b| n << 8 | usize::from(*b));
    let names = rest.get(count.checked_mul(width)?..)?;
    let names = names.split(|b| *b == 0).take(count);
    names.map(|n| std::str::from_utf8(n).ok()).collect()
}

/// An archive with one object file that defines these symbols.
pub fn of_one(name: &str, object: &[u8], symbols: &[&str]) -> Vec<u8> {
    let mut index = (symbols.len() as u32).to_be_bytes().to_vec();
    let names: usize = symbols.iter().map(|s| s.len() + 1).sum();
    let index_bytes = (4 + 4 * symbols.len() + names).next_multiple_of(2);
    let place = (MAGIC.len() + HEADER + index_bytes) as u32;
    for _ in symbols {
        index.extend(place.to_be_bytes());
    }
    for s in symbols {
        index.extend(s.bytes());
        index.push(0);
    }
    let mut out = MAGIC.to_vec();
    for (name, body) in [("/", index.as_slice()), (&format!("{name}/"), object)] {
        let bytes = body.len().next_multiple_of(2);
        // Times, owners and modes are those of no machine, so that the same build gives the same bytes.
        let header = format!(
            "{name:<16}{:<12}{:<6}{:<6}{:<8}{bytes:<10}`\n",
            0, 0, 0, 644
        );
        out.extend(header.bytes());
        out.extend(body);
        out.resize(out.len() + bytes - body.len(), 0);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for names in [&["a"][..], &["terrace_x", "acc_y", "z"], &[]] {
            let made = of_one("x.o", &[7; 11], names);
            assert_eq!(symbols(&made).as_deref(), Some(names));
            assert_eq!(made.len() % 2, 0);
        }
    }

    #[test]
    fn what_is_no_archive_has_no_index() {
        assert_eq!(symbols(b""), None);
        assert_eq!(symbols(MAGIC), None);
        assert_eq!(symbols(&[b'!'; 200]), None);
        let made = of_one("x.o", &[7; 11], &["abc"]);
        assert_eq!(symbols(&made[..70]), None);
    }
}
