//! The directives of a file.

use terrace_ir::diag::Diagnostic;

use super::{Directive, Message, parse_pragma};
use crate::source::SourceMap;

/// Reads every pragma of a file that is terrace's, in order. Those of system headers
/// are left alone. Of a malformed one there is an error and no directive.
pub fn collect(map: &SourceMap) -> (Vec<Directive>, Vec<Diagnostic>) {
    let mut directives = Vec::new();
    let mut diagnostics = Vec::new();
    for pragma in map.pragmas() {
        let outcome = parse_pragma(pragma);
        if outcome.directive.is_none() && outcome.messages.is_empty() {
            continue;
        }
        if map.is_system(pragma.span.start as usize) {
            continue;
        }
        directives.extend(outcome.directive);
        diagnostics.extend(outcome.messages.into_iter().map(|m| diagnostic(map, m)));
    }
    (directives, diagnostics)
}

fn diagnostic(map: &SourceMap, message: Message) -> Diagnostic {
    let (loc, underline) = map.underlined(message.span);
    let mut diagnostic = Diagnostic::new(message.severity, loc, message.text);
    diagnostic.underline = underline;
    for (span, text) in message.notes {
        diagnostic.notes.push((map.loc(span.start as usize), text));
    }
    diagnostic
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::DirectiveKind;

    #[test]
    fn places_are_those_of_the_file_as_written() {
        let original = "#define N 100\nvoid f(void) {\n  #pragma   acc data \\\n     copy(a[0:N]) cpy(b)\n  ;\n}\n#pragma omp for\n";
        let text = "# 1 \"a.c\"\n\nvoid f(void) {\n#pragma acc data copy(a[0:100]) cpy(b)\n\n  ;\n}\n\
                    #pragma omp for\n# 1 \"h.h\" 1 3\n#pragma acc nonsense\n# 2 \"a.c\" 2\n\
                    #pragma scop\n#pragma endscop\n";
        let file = original.as_bytes().to_vec();
        let map = SourceMap::with_loader(text, Box::new(move |_| Some(file.clone())));
        let (directives, diagnostics) = collect(&map);
        let kinds: Vec<_> = directives.iter().map(|d| &d.kind).collect();
        assert_eq!(kinds, [&DirectiveKind::Scop, &DirectiveKind::EndScop]);
        let [error] = &diagnostics[..] else {
            panic!("{diagnostics:?}");
        };
        assert_eq!(error.loc, terrace_ir::diag::DiagLoc::pos("a.c", 4, 19));
        assert_eq!(error.underline, 3);
        assert_eq!(
            error.message,
            "`cpy` is not a clause of `acc data`; did you mean `copy`?"
        );
    }
}
