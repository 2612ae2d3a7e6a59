//! Pragmas of others that want a loop right behind them: OpenMP's and GCC's. A region of
//! such a loop begins before them, so that they stay with the loop.

use terrace_c::source::Pragma;

/// Where the text of a region begins whose directive or statement begins at `at`: there,
/// or at the first of the pragmas right before that want the loop.
pub fn begin(text: &str, pragmas: &[Pragma], at: u32) -> u32 {
    let mut begin = at;
    let mut next = at;
    let before = pragmas.partition_point(|p| p.span.start < at);
    for p in pragmas[..before].iter().rev() {
        let between = text.get(p.span.end as usize..next as usize);
        // Line markers, and nothing else.
        let bare = |l: &str| l.trim().is_empty() || l.trim_start().starts_with('#');
        if !between.is_some_and(|t| t.lines().all(bare)) {
            break;
        }
        if wants_loop(&p.text) {
            begin = p.span.start;
        } else if !is_ours(&p.text) {
            break;
        }
        next = p.span.start;
    }
    begin
}

/// Whether the pragma, from its first word on, is one that terrace reads.
pub fn is_ours(pragma: &str) -> bool {
    let first = pragma.split_whitespace().next();
    first.is_some_and(|w| matches!(w, "acc" | "scop" | "endscop" | "terrace"))
}

fn wants_loop(pragma: &str) -> bool {
    // A construct's words come before its clauses, most of which have brackets.
    let head = pragma.split('(').next().unwrap_or_default();
    let mut words = head.split_whitespace();
    match words.next() {
        Some("omp") => words.any(|w| {
            matches!(
                w,
                "for" | "simd" | "loop" | "distribute" | "taskloop" | "tile" | "unroll"
            )
        }),
        Some("GCC") => matches!(words.next(), Some("ivdep" | "unroll" | "novector")),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrace_c::source::SourceMap;

    /// What stands where the region of the last directive or statement begins.
    fn line(text: &str, at: &str) -> String {
        let map = SourceMap::new(text.to_string());
        let at = text.rfind(at).unwrap() as u32;
        let begin = begin(text, map.pragmas(), at) as usize;
        text[begin..].lines().next().unwrap().to_string()
    }

    #[test]
    fn pragmas_for_loops_belong_to_the_region() {
        let text = "f();\n#pragma omp parallel for\n# 3 \"a.c\"\n#pragma acc parallel loop\nfor";
        assert_eq!(line(text, "#pragma acc"), "#pragma omp parallel for");
        assert_eq!(line(text, "for"), "#pragma omp parallel for");
        let text = "#pragma GCC unroll 4\n#pragma omp simd safelen(4)\nfor";
        assert_eq!(line(text, "for"), "#pragma GCC unroll 4");
    }

    #[test]
    fn others_do_not() {
        for before in [
            "#pragma omp for\nf();",
            "#pragma omp barrier",
            "#pragma omp parallel private(for)",
            "#pragma GCC diagnostic push",
            "f();",
        ] {
            let text = format!("{before}\n#pragma acc loop\nfor");
            assert_eq!(line(&text, "#pragma acc"), "#pragma acc loop", "{before}");
        }
    }
}
