//! Functions of system headers that nothing names are left out: most of a file's
//! preprocessed text is headers, and most of a header is functions that are not used.

use rustc_hash::FxHashMap;

use super::mask::Masked;
use crate::lex::TokenKind;
use crate::source::SourceMap;

/// Blanks prototypes and inline definitions in system headers whose name occurs once in
/// the whole text, pragmas included. From the last to the first, because functions are
/// declared before they are used.
pub(super) fn drop(masked: &mut Masked, map: &SourceMap) {
    let mut blanked: Vec<(usize, usize)> = Vec::new();
    {
        let text = &masked.bytes;
        let original = map.text().as_bytes();
        let mut count: FxHashMap<&[u8], u32> = FxHashMap::default();
        for t in masked.tokens.iter().filter(|t| t.kind == TokenKind::Word) {
            *count.entry(&text[t.start..t.end]).or_default() += 1;
        }
        for t in &masked.pragma_words {
            *count.entry(&original[t.start..t.end]).or_default() += 1;
        }
        for (first, last, name) in functions(masked).into_iter().rev() {
            let start = masked.tokens[first].start;
            let unused = count.get(masked.word(name)) == Some(&1);
            if !unused || !map.is_system(start) || !map.is_system(masked.tokens[last].start) {
                continue;
            }
            let words = masked.tokens[first..=last].iter();
            for t in words.filter(|t| t.kind == TokenKind::Word) {
                if let Some(n) = count.get_mut(&text[t.start..t.end]) {
                    *n -= 1;
                }
            }
            blanked.push((start, masked.tokens[last].end));
        }
    }
    for (start, end) in blanked {
        for b in &mut masked.bytes[start..end] {
            if *b != b'\n' {
                *b = b' ';
            }
        }
    }
}

/// Top-level declarations that declare one function and no type: first and last token,
/// and that of the name.
fn functions(masked: &Masked) -> Vec<(usize, usize, usize)> {
    let mut found = Vec::new();
    let mut first = 0;
    let mut depth = 0usize;
    let mut name = None;
    // The declaration is more than a function: it has a type's body, several
    // declarators, an initialiser.
    let mut other = false;
    let mut body = false;
    let mut last = usize::MAX;
    for i in 0..masked.tokens.len() {
        let word = masked.word(i);
        if word.first().is_none_or(|b| *b == b' ') {
            // Mended away.
            if first == i {
                first = i + 1;
            }
            continue;
        }
        match word {
            b"(" | b"[" | b"{" => {
                if depth == 0 {
                    match word {
                        b"(" if name.is_none() => {
                            name = Some(last).filter(|&n| is_name(masked, n));
                            other |= name.is_none();
                        }
                        b"{" => {
                            body = last != usize::MAX && masked.word(last) == b")";
                            other |= !body;
                        }
                        _ => {}
                    }
                }
                depth += 1;
            }
            b")" | b"]" | b"}" => depth = depth.saturating_sub(1),
            b"typedef" | b"struct" | b"union" | b"enum" | b"," | b"=" if depth == 0 => {
                // A type's name alone would be declared by its first use.
                other = true;
            }
            _ => {}
        }
        let ends = depth == 0 && (word == b";" || word == b"}" && body);
        if ends {
            if let Some(name) = name.filter(|_| !other) {
                found.push((first, i, name));
            }
            (first, name, other, body) = (i + 1, None, false, false);
            last = usize::MAX;
            continue;
        }
        last = i;
    }
    found
}

fn is_name(masked: &Masked, token: usize) -> bool {
    let word = masked.word(token);
    masked
        .tokens
        .get(token)
        .is_some_and(|t| t.kind == TokenKind::Word)
        && !matches!(
            word,
            b"__attribute__"
                | b"__attribute"
                | b"__typeof__"
                | b"__typeof"
                | b"typeof"
                | b"_Alignas"
                | b"_Atomic"
                | b"void"
                | b"int"
                | b"char"
                | b"long"
                | b"double"
                | b"float"
                | b"const"
        )
}
