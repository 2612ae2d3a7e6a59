//! What Linux says of cores: their name, and the sizes of their caches.

use crate::targets::machine::{Cores, Part};
use std::fs::read_to_string;

/// Puts what the system says into the description; what it does not say stays as it is.
pub fn tell(cores: &mut Cores) {
    let said = read_to_string("/proc/cpuinfo").unwrap_or_default();
    if let Some(name) = name_in(&said) {
        cores.name = name;
    }
    let mut sizes = [cores.l1_bytes, cores.l2_bytes, cores.l3_bytes];
    let mut any = false;
    for index in 0..16 {
        let file = |name: &str| {
            let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}");
            read_to_string(path).ok().map(|t| t.trim().to_string())
        };
        let (Some(level), Some(size)) = (file("level"), file("size")) else {
            continue;
        };
        if file("type").as_deref() == Some("Instruction") {
            continue;
        }
        let level = level.parse::<usize>().ok().and_then(|l| l.checked_sub(1));
        if let (Some(level @ 0..3), Some(bytes)) = (level, bytes_of(&size)) {
            // A third cache that is not told of is none.
            if !any {
                sizes[2] = 0;
            }
            any = true;
            sizes[level] = bytes;
        }
        let line = file("coherency_line_size").and_then(|l| l.parse().ok());
        if let Some(line @ 8..=4096) = line {
            cores.line_bytes = line;
        }
    }
    [cores.l1_bytes, cores.l2_bytes, cores.l3_bytes] = sizes;
}

/// The name of the first processor.
fn name_in(cpuinfo: &str) -> Option<Part> {
    let line = cpuinfo.lines().find(|l| l.starts_with("model name"))?;
    let mut name = line.split_once(':')?.1.trim().to_string();
    name.retain(|c| !c.is_control() && c != '"');
    while Part::new(&name).is_none() {
        name.pop();
    }
    Part::new(&name).filter(|n| !n.is_empty())
}

/// `32K` as bytes.
fn bytes_of(size: &str) -> Option<u64> {
    let (digits, unit) = size.split_at(size.trim_end_matches(['K', 'M']).len());
    let factor = match unit {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        _ => return None,
    };
    digits
        .parse::<u64>()
        .ok()?
        .checked_mul(factor)
        .filter(|b| *b > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_system() {
        assert_eq!(bytes_of("32K"), Some(32768));
        assert_eq!(bytes_of("8M"), Some(8 << 20));
        assert_eq!(bytes_of("512"), Some(512));
        for wrong in ["", "K", "3G", "-1K", "0K"] {
            assert_eq!(bytes_of(wrong), None, "{wrong}");
        }
        let name = name_in("processor : 0\nmodel name\t: A \"fast\" core\nmodel name : B").unwrap();
        assert_eq!(&*name, "A fast core");
        assert!(name_in("model name : ").is_none());
    }
}
