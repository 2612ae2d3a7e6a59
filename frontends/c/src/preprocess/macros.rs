//! Macros in directives that the preprocessor leaves as they are.
//!
//! GCC expands macros in pragmas that it knows, which terrace's are not. So it is asked
//! to leave definitions in its output (`-dD`), each where it stands; here they are read,
//! taken out again, and used in the directives behind them (C11 6.10.3). Every line
//! stays a line, and a token of a macro is at the macro's use, as for any other.

use rustc_hash::FxHashMap;

use crate::lex::{Lexer, TokenKind};

/// The option that leaves definitions in the output of the preprocessor.
pub const DEFINITIONS: &str = "-dD";

/// Longer expansions are given up.
const MAX_TEXT: usize = 1 << 16;

/// Macros inside each other.
const MAX_DEPTH: usize = 64;

struct Macro {
    /// `None` of an object-like one.
    params: Option<Vec<String>>,
    body: String,
}

/// The text without definitions of macros, and with those that directives of `terrace`
/// use expanded in them; of `acc`, too, where `acc` says that the preprocessor did not.
pub fn expand_directives(text: String, acc: bool) -> String {
    if !text.contains("#define ") && !text.contains("#undef ") {
        return text;
    }
    let mut macros = Macros::default();
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (line, mut after) = first_line(rest);
        let Some(directive) = line.trim_ascii_start().strip_prefix('#') else {
            out.push_str(line);
            rest = after;
            continue;
        };
        let directive = directive.trim_ascii_start();
        if let Some(definition) = directive.strip_prefix("define ") {
            macros.define(definition);
            out.push('\n');
        } else if let Some(name) = directive.strip_prefix("undef ") {
            macros.of.remove(name.trim());
            out.push('\n');
        } else if let Some(pragma) = directive.strip_prefix("pragma") {
            let mut whole = line;
            while whole.trim_ascii_end().ends_with('\\') && !after.is_empty() {
                let (next, behind) = first_line(after);
                whole = &rest[..whole.len() + next.len()];
                after = behind;
            }
            let head = line.len() - pragma.len();
            out.push_str(&whole[..head]);
            macros.pragma(&whole[head..], acc, &mut out);
        } else {
            out.push_str(line);
        }
        rest = after;
    }
    out
}

/// The first line, with its end, and what is behind it.
fn first_line(text: &str) -> (&str, &str) {
    let end = text.find('\n').map_or(text.len(), |n| n + 1);
    text.split_at(end)
}

#[derive(Default)]
struct Macros {
    of: FxHashMap<String, Macro>,
    /// What `push_macro` saved.
    saved: FxHashMap<String, Vec<Option<Macro>>>,
}

impl Macros {
    /// `NAME body` or `NAME(a, b) body`.
    fn define(&mut self, text: &str) {
        let text = text.trim();
        let end = text
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
            .unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let (params, body) = match rest.strip_prefix('(').and_then(|r| r.split_once(')')) {
            Some((params, body)) => {
                let params = params.split(',').map(|p| p.trim().to_owned());
                (Some(params.filter(|p| !p.is_empty()).collect()), body)
            }
            None => (None, rest),
        };
        let body = body.trim().to_owned();
        self.of.insert(name.to_owned(), Macro { params, body });
    }

    /// What stands behind `#pragma`.
    fn pragma(&mut self, text: &str, acc: bool, out: &mut String) {
        let mut tokens = Lexer::new(text.as_bytes());
        let first = tokens.next();
        let word = first.as_ref().map_or("", |t| &text[t.start..t.end]);
        // The name of the directive is none of a macro's.
        let last = match word {
            "terrace" => tokens.next(),
            "acc" if acc => first,
            _ => {
                self.stack(word, text);
                out.push_str(text);
                return;
            }
        };
        let head = last.map_or(text.len(), |t| t.end);
        out.push_str(&text[..head]);
        self.expand(&text[head..], &mut Vec::new(), out);
    }

    /// `push_macro("N")` and `pop_macro("N")`.
    fn stack(&mut self, word: &str, text: &str) {
        let Some(name) = text.split('"').nth(1) else {
            return;
        };
        if word == "push_macro" {
            let now = self.of.get(name).map(|m| Macro {
                params: m.params.clone(),
                body: m.body.clone(),
            });
            self.saved.entry(name.to_owned()).or_default().push(now);
        } else if word == "pop_macro"
            && let Some(then) = self.saved.get_mut(name).and_then(Vec::pop)
        {
            match then {
                Some(m) => self.of.insert(name.to_owned(), m),
                None => self.of.remove(name),
            };
        }
    }

    /// Appends a text with the macros in it expanded, but those that are being expanded.
    fn expand(&self, text: &str, active: &mut Vec<String>, out: &mut String) {
        let tokens: Vec<_> = Lexer::new(text.as_bytes()).collect();
        let mut at = 0;
        let mut i = 0;
        while i < tokens.len() {
            let t = tokens[i];
            out.push_str(&text[at..t.start]);
            at = t.end;
            let word = &text[t.start..t.end];
            i += 1;
            let found = self.of.get(word).filter(|_| {
                t.kind == TokenKind::Word
                    && !active.iter().any(|a| a == word)
                    && active.len() < MAX_DEPTH
                    && out.len() < MAX_TEXT
            });
            let Some(m) = found else {
                apart(out, word);
                out.push_str(word);
                continue;
            };
            let mut body = m.body.clone();
            if let Some(params) = &m.params {
                let word_at = |k: usize| tokens.get(k).map_or("", |t| &text[t.start..t.end]);
                let call = arguments(i, tokens.len(), &word_at);
                let substituted = call.as_ref().and_then(|(args, _)| {
                    let args: Vec<&str> = args
                        .iter()
                        .map(|(from, to)| match from < to {
                            true => &text[tokens[*from].start..tokens[*to - 1].end],
                            false => "",
                        })
                        .collect();
                    self.substitute(m, params, &args, active)
                });
                let (Some(text), Some((_, end))) = (substituted, call) else {
                    apart(out, word);
                    out.push_str(word);
                    continue;
                };
                body = text;
                at = tokens[end].end;
                i = end + 1;
            }
            active.push(word.to_owned());
            let mut inner = String::new();
            self.expand(&body, active, &mut inner);
            active.pop();
            apart(out, &inner);
            out.push_str(&inner);
        }
        apart(out, &text[at..]);
        out.push_str(&text[at..]);
    }

    /// The body of a function-like macro with its arguments in place of its parameters;
    /// `None` where it does not fit, or makes tokens (`#`, `##`), which no clause needs.
    fn substitute(
        &self,
        m: &Macro,
        params: &[String],
        args: &[&str],
        active: &mut Vec<String>,
    ) -> Option<String> {
        let none = params.is_empty() && args.iter().all(|a| a.is_empty());
        if !none && (params.len() != args.len() || params.iter().any(|p| p.contains("..."))) {
            return None;
        }
        if m.body.contains('#') {
            return None;
        }
        let mut out = String::new();
        let mut at = 0;
        for t in Lexer::new(m.body.as_bytes()) {
            out.push_str(&m.body[at..t.start]);
            at = t.end;
            let word = &m.body[t.start..t.end];
            match params.iter().position(|p| p == word) {
                Some(k) => {
                    let mut arg = String::new();
                    self.expand(args[k], active, &mut arg);
                    apart(&mut out, &arg);
                    out.push_str(&arg);
                }
                None => {
                    apart(&mut out, word);
                    out.push_str(word);
                }
            }
            if out.len() > MAX_TEXT {
                return None;
            }
        }
        Some(out)
    }
}

/// Puts a blank between two words that would become one.
fn apart(out: &mut String, next: &str) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if out.ends_with(is_word) && next.starts_with(is_word) {
        out.push(' ');
    }
}

/// The arguments of a call whose bracket is token `open`: first token and the one behind
/// the last of each, and the token that closes the bracket.
fn arguments<'t>(
    open: usize,
    len: usize,
    word: &impl Fn(usize) -> &'t str,
) -> Option<(Vec<(usize, usize)>, usize)> {
    if word(open) != "(" {
        return None;
    }
    let mut args = Vec::new();
    let (mut depth, mut from) = (0usize, open + 1);
    for i in open + 1..len {
        match word(i) {
            "(" | "[" | "{" => depth += 1,
            ")" if depth == 0 => {
                args.push((from, i));
                return Some((args, i));
            }
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "," if depth == 0 => {
                args.push((from, i));
                from = i + 1;
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> String {
        expand_directives(text.to_owned(), false)
    }

    #[test]
    fn definitions_hold_from_where_they_stand() {
        let text = "#define T 32\n#pragma terrace schedule(tile(i: T))\n#undef T\n\
                    #pragma terrace schedule(tile(i: T))\n#define T (2*U)\n#define U 8\n\
                    #pragma terrace schedule(tile(i: T))\nint T;\n";
        assert_eq!(
            expanded(text),
            "\n#pragma terrace schedule(tile(i: 32))\n\n\
             #pragma terrace schedule(tile(i: T))\n\n\n\
             #pragma terrace schedule(tile(i: (2*8)))\nint T;\n"
        );
    }

    #[test]
    fn macros_with_parameters_and_those_that_name_themselves() {
        let defines = "#define A A+B\n#define B A\n#define MAX(a,b) ((a)>(b)?(a):(b))\n\
                       #define S(x) #x\n#define E\n#define F() 7\n";
        let last = |pragma: &str| {
            let text = expanded(&format!("{defines}#pragma terrace {pragma}\n"));
            text.lines().last().unwrap_or_default().to_owned()
        };
        assert_eq!(last("schedule(A)"), "#pragma terrace schedule(A+A)");
        assert_eq!(
            last("schedule(MAX(U, (1,2)) MAX S(3) F())"),
            "#pragma terrace schedule(((U)>((1,2))?(U):((1,2))) MAX S(3) 7)"
        );
        assert_eq!(
            last("schedule(\"A\" E x)"),
            "#pragma terrace schedule(\"A\"  x)"
        );
        // The directive's own name is no macro's.
        assert_eq!(last("A(A)"), "#pragma terrace A(A+A)");
    }

    #[test]
    fn pragmas_of_others_and_those_that_are_done_stay() {
        let text = "#define N 4\n#pragma omp for N\n#pragma acc loop gang(N)\n";
        assert_eq!(
            expanded(text),
            "\n#pragma omp for N\n#pragma acc loop gang(N)\n"
        );
        assert_eq!(
            expand_directives(text.to_owned(), true),
            "\n#pragma omp for N\n#pragma acc loop gang(4)\n"
        );
        let text = "#define N 4\n#pragma push_macro(\"N\")\n#undef N\n#define N 5\n\
                    #pragma pop_macro(\"N\")\n#pragma terrace schedule(N)";
        assert!(expanded(text).ends_with("#pragma terrace schedule(4)"));
    }

    #[test]
    fn lines_that_backslashes_join() {
        let text = "#define N 4\n#pragma terrace \\\n schedule(N, \\\n N)\nN\n";
        assert_eq!(
            expanded(text),
            "\n#pragma terrace \\\n schedule(4, \\\n 4)\nN\n"
        );
    }

    #[test]
    fn expansions_end() {
        let mut text = String::from("#define A0 x\n");
        for i in 1..60 {
            text.push_str(&format!("#define A{i} A{} A{}\n", i - 1, i - 1));
        }
        text.push_str("#pragma terrace schedule(A59)\n");
        assert!(expanded(&text).len() < 1 << 22);
    }
}
