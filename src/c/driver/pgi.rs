//! Options of PGI's and NVIDIA's compilers, which stand in the Makefiles of OpenACC
//! programs, as what they mean to GCC. Those for OpenACC itself are among terrace's own.

/// The words that stand for `word`; `None` if it is no such option. `-tp haswell` has
/// its value in the next word.
pub fn translated(word: &str) -> Option<&'static [&'static str]> {
    let (name, value) = match word.split_once('=') {
        Some((n, v)) => (n, Some(v)),
        None => (word, None),
    };
    Some(match (name, value) {
        ("-fast" | "-fastsse", None) => &["-O3"],
        ("-mp", _) => &["-fopenmp"],
        ("-c89", None) => &["-std=gnu89"],
        ("-c99", None) => &["-std=gnu99"],
        ("-c11", None) => &["-std=gnu11"],
        ("-c17", None) => &["-std=gnu17"],
        ("-alias", Some("ansi")) => &["-fstrict-aliasing"],
        ("-alias", Some("traditional")) => &["-fno-strict-aliasing"],
        // The processor that is tuned for, libraries of other languages, and how strict
        // floating-point numbers are: GCC's are, by default.
        ("-tp", _) | ("-pgf90libs" | "-pgc++libs" | "-Kieee" | "-Knoieee", None) => &[],
        ("-Mfprelaxed", _) => &["-ffast-math"],
        _ if is_tuning(word) => &[],
        _ => return None,
    })
}

/// Whether the option's value is the next word.
pub fn takes_next(word: &str) -> bool {
    word == "-tp"
}

/// `-Minline`, `-Msafeptr=arg`, `-Mneginfo`: GCC's options that begin with `-M` go on
/// with a capital letter, or are `-Mno-modules`.
fn is_tuning(word: &str) -> bool {
    let rest = word.strip_prefix("-M").unwrap_or_default();
    rest.starts_with(|c: char| c.is_ascii_lowercase()) && rest != "no-modules"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_others_and_gccs_own() {
        for (word, words) in [
            ("-fast", &["-O3"][..]),
            ("-mp", &["-fopenmp"]),
            ("-mp=multicore", &["-fopenmp"]),
            ("-Msafeptr=arg", &[]),
            ("-tp=haswell", &[]),
            ("-tp", &[]),
            ("-alias=ansi", &["-fstrict-aliasing"]),
        ] {
            assert_eq!(translated(word), Some(words), "{word}");
        }
        for word in [
            "-O3",
            "-M",
            "-MD",
            "-MMD",
            "-MF",
            "-MP",
            "-MT",
            "-Mno-modules",
            "-fopenmp",
            "-fastmath",
            "-mpopcnt",
            "-malign-double",
            "-tpx",
        ] {
            assert_eq!(translated(word), None, "{word}");
        }
    }
}
