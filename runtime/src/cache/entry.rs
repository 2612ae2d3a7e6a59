//! The bytes of an entry: lines of text, an empty line, the code, a checksum.
//!
//! ```text
//! terrace kernels 1
//! key <64 hexadecimal digits>
//! architecture sm_90
//! driver ...
//! options ...
//! kernels init step
//! made <seconds since 1970>
//! bytes <length of the code>
//!
//! <code><SHA-256 of all before>
//! ```

use super::{Key, VERSION, sha256};

/// Bytes of the checksum.
const SUM: usize = 32;

/// What an entry says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// The key in 64 hexadecimal digits.
    pub key: String,
    pub architecture: String,
    pub driver: String,
    pub options: String,
    pub kernels: Vec<String>,
    /// When it was made, in seconds since 1970.
    pub made: u64,
    /// Of the code.
    pub bytes: u64,
}

/// An entry's bytes. Names of kernels are single words.
pub fn encode(key: &Key, kernels: &[String], made: u64, code: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(code.len() + 512);
    let head = [
        ("key", key.hex()),
        ("architecture", key.architecture.clone()),
        ("driver", key.driver.clone()),
        ("options", key.options.clone()),
        ("kernels", kernels.join(" ")),
        ("made", made.to_string()),
        ("bytes", code.len().to_string()),
    ];
    out.extend(VERSION.as_bytes());
    for (name, value) in head {
        out.extend(format!("\n{name} {value}").as_bytes());
    }
    out.extend(b"\n\n");
    out.extend(code);
    let sum = sha256(&out);
    out.extend(sum);
    out
}

/// What an entry says and its code; `None` unless all of it is as it was written.
pub fn decode(bytes: &[u8]) -> Option<(Contents, &[u8])> {
    let (all, sum) = bytes.split_at_checked(bytes.len().checked_sub(SUM)?)?;
    if sha256(all) != sum {
        return None;
    }
    let end = all.windows(2).position(|w| w == b"\n\n")?;
    let code = all.get(end + 2..)?;
    let mut lines = std::str::from_utf8(&all[..end]).ok()?.lines();
    if lines.next()? != VERSION {
        return None;
    }
    let mut field = |name: &str| {
        let rest = lines.next()?.strip_prefix(name)?.strip_prefix(' ')?;
        Some(rest.to_string())
    };
    let contents = Contents {
        key: field("key")?,
        architecture: field("architecture")?,
        driver: field("driver")?,
        options: field("options")?,
        kernels: field("kernels")?
            .split_whitespace()
            .map(str::to_string)
            .collect(),
        made: field("made")?.parse().ok()?,
        bytes: field("bytes")?.parse().ok()?,
    };
    (contents.bytes == code.len() as u64).then_some((contents, code))
}
