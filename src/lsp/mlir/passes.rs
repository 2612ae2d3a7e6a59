//! Names of passes where texts name them: in `// RUN:` lines, and in strings that are pipelines.

use terrace_ir::pass::OptionInfo;

/// A pass, a pipeline or an option.
pub struct Offer {
    pub name: String,
    pub summary: &'static str,
    /// Empty where [`description`] has it.
    pub description: String,
}

/// What a pass does, or a pipeline.
pub fn description(name: &str) -> Option<String> {
    let registry = crate::pass_registry();
    let pass = registry.pass(name).map(|p| p.description.to_string());
    pass.or_else(|| registry.pipeline(name).map(|p| p.summary.to_string()))
}

/// Passes or options that may stand at the end of a line, with how many bytes of one are there.
pub fn at(line: &str) -> Option<(Vec<Offer>, u32)> {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let typed: usize = line
        .chars()
        .rev()
        .take_while(|c| word(*c))
        .map(char::len_utf8)
        .sum();
    let (head, last) = line.split_at(line.len() - typed);
    let run = line.trim_start().starts_with("//") && line.contains("RUN:");
    let in_pipeline = |head: &str| {
        let named = head.contains("pass-pipeline") || head.contains("apply_registered_pass");
        named && head.ends_with(['"', ',', '(', '\'', '='])
    };
    if let Some(options) = options_of(head).filter(|_| run || named_pipeline(head)) {
        return Some((options, typed as u32));
    }
    if run && last.starts_with('-') {
        let dashes = last.len() - last.trim_start_matches('-').len();
        return Some((passes(), (typed - dashes) as u32));
    }
    if in_pipeline(head) {
        return Some((passes(), typed as u32));
    }
    None
}

fn named_pipeline(head: &str) -> bool {
    head.contains("pass-pipeline") || head.contains("apply_registered_pass")
}

fn passes() -> Vec<Offer> {
    let registry = crate::pass_registry();
    let passes = registry.passes().map(|p| Offer {
        name: p.name.to_string(),
        summary: p.summary,
        description: String::new(),
    });
    let pipelines = registry.pipelines().map(|p| Offer {
        name: p.name.to_string(),
        summary: p.summary,
        description: String::new(),
    });
    passes.chain(pipelines).collect()
}

/// The options of the pass whose braces, or quotes behind `=`, are open at the end.
fn options_of(head: &str) -> Option<Vec<Offer>> {
    let brace = head.rfind('{').filter(|i| !head[*i..].contains('}'));
    let quote = head.rfind("=\"").filter(|i| !head[i + 2..].contains('"'));
    let open = brace.max(quote)?;
    if !head.ends_with(['{', '"', ' ']) {
        return None;
    }
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let name = head[..open].rsplit(|c| !word(c)).next()?;
    let name = name.trim_start_matches('-');
    let registry = crate::pass_registry();
    let options: &[OptionInfo] = match (registry.pass(name), registry.pipeline(name)) {
        (Some(p), _) => p.options,
        (_, Some(p)) => p.options,
        _ => return None,
    };
    let offers = options.iter().map(|o| Offer {
        name: o.name.to_string(),
        summary: o.doc,
        description: match o.default {
            "" => "empty by default".to_string(),
            default => format!("by default `{default}`"),
        },
    });
    Some(offers.collect())
}

#[cfg(test)]
mod tests {
    use super::at;

    fn names(line: &str) -> Option<(Vec<String>, u32)> {
        let (offers, typed) = at(line)?;
        Some((offers.into_iter().map(|o| o.name).collect(), typed))
    }

    #[test]
    fn passes_where_a_text_names_them() {
        let tile = "affine-loop-tile".to_string();
        let (all, typed) = names("// RUN: terrace-opt %s --affine-loop").unwrap();
        assert!(all.contains(&tile));
        assert_eq!(typed, 11);
        let (all, typed) =
            names("// RUN: terrace-opt %s -pass-pipeline=\"builtin.module(func.func(aff").unwrap();
        assert!(all.contains(&tile));
        assert_eq!(typed, 3);
        let (all, typed) = names("// RUN: terrace-opt %s -affine-loop-tile=\"tile-si").unwrap();
        assert!(all.contains(&"tile-size".to_string()), "{all:?}");
        assert_eq!(typed, 7);
        let (all, _) = names("  transform.apply_registered_pass \"can").unwrap();
        assert!(all.contains(&"canonicalize".to_string()));
        assert!(names("// a comment of -dashes").is_none());
        assert!(names("  %0 = arith.addi").is_none());
    }
}
