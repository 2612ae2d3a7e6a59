//! The text of pipelines.
//!
//! ```text
//! pipeline ::= element (`,` element)*
//! element  ::= op-name `(` pipeline `)` | pass-name (`{` options `}`)?
//! ```

use super::manager::{OpPassManager, PassManager};
use super::options::ParsedOptions;
use super::registry::PassRegistry;

/// How deep pipelines may nest, and named pipelines may expand into one another.
const MAX_NESTING: usize = 64;

/// A part of a pipeline's text.
#[derive(Debug)]
struct Element<'t> {
    name: &'t str,
    options: &'t str,
    inner: Vec<Element<'t>>,
    /// It has parentheses, so the name is an op's.
    nested: bool,
}

struct Text<'t> {
    whole: &'t str,
    at: usize,
}

impl<'t> Text<'t> {
    fn error(&self, at: usize, message: impl AsRef<str>) -> String {
        let before = &self.whole[..at];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let line = before.matches('\n').count() + 1;
        let column = at - line_start + 1;
        let text = self.whole[line_start..].lines().next().unwrap_or("");
        format!(
            "MLIR Textual PassPipeline Parser:{line}:{column}: error: {}\n{text}\n{:>column$}\n",
            message.as_ref(),
            "^"
        )
    }

    /// Where `part`, a slice of the text, starts.
    fn offset(&self, part: &str) -> usize {
        part.as_ptr() as usize - self.whole.as_ptr() as usize
    }

    fn rest(&self) -> &'t str {
        &self.whole[self.at..]
    }

    fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn elements(&mut self, depth: usize) -> Result<Vec<Element<'t>>, String> {
        if depth > MAX_NESTING {
            return Err(self.error(
                self.at,
                format!("pipelines nest more than {MAX_NESTING} deep"),
            ));
        }
        let mut list = Vec::new();
        loop {
            list.push(self.element(depth)?);
            self.skip_space();
            match self.rest().as_bytes().first() {
                None => return Ok(list),
                Some(b')') if depth > 0 => return Ok(list),
                Some(b')') => {
                    return Err(self.error(
                        self.at,
                        "encountered extra closing ')' creating unbalanced parentheses while \
                         parsing pipeline",
                    ));
                }
                Some(b',') => self.at += 1,
                Some(_) => {
                    return Err(self.error(self.at, "expected ',' after parsing pipeline"));
                }
            }
        }
    }

    fn element(&mut self, depth: usize) -> Result<Element<'t>, String> {
        self.skip_space();
        let rest = self.rest();
        let end = rest.find(['(', '{', ',', ')']).unwrap_or(rest.len());
        let name = rest[..end].trim_end();
        let mut e = Element {
            name,
            options: "",
            inner: Vec::new(),
            nested: false,
        };
        self.at += end;
        match self.rest().as_bytes().first() {
            Some(b'(') => {
                self.at += 1;
                e.nested = true;
                e.inner = self.elements(depth + 1)?;
                if !self.rest().starts_with(')') {
                    let last = e.inner.last().map_or(e.name, |i| i.name);
                    let at = self.offset(last);
                    return Err(self.error(
                        at,
                        "encountered unbalanced parentheses while parsing pipeline",
                    ));
                }
                self.at += 1;
            }
            Some(b'{') => {
                let open = self.at;
                let Some(close) = closing_brace(self.rest()) else {
                    return Err(
                        self.error(open, "missing closing '}' while processing pass options")
                    );
                };
                e.options = self.rest()[1..close].trim();
                self.at += close + 1;
            }
            _ => {}
        }
        Ok(e)
    }
}

/// The brace that closes the one at the start, quotes skipped.
fn closing_brace(text: &str) -> Option<usize> {
    let b = text.as_bytes();
    let (mut i, mut depth) = (0, 0usize);
    while i < b.len() {
        match b[i] {
            q @ (b'\'' | b'"') => {
                if let Some(n) = b[i + 1..].iter().position(|c| *c == q) {
                    i += n + 1;
                }
            }
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(i);
                }
            }
            _ => {}
        }
        i += 1;
    }
    None
}

impl OpPassManager {
    /// Append the passes of a pipeline's text, which names no anchor op.
    pub fn parse_into(&mut self, registry: &PassRegistry, text: &str) -> Result<(), String> {
        self.parse_at(registry, text, 0)
    }

    fn parse_at(
        &mut self,
        registry: &PassRegistry,
        text: &str,
        depth: usize,
    ) -> Result<(), String> {
        if text.trim().is_empty() {
            return Ok(());
        }
        let mut t = Text { whole: text, at: 0 };
        let elements = t.elements(0)?;
        // All names first, so that the error about one has its place in the text.
        check_names(&t, registry, &elements)?;
        self.add_elements(registry, &elements, depth)
    }

    fn add_elements(
        &mut self,
        registry: &PassRegistry,
        elements: &[Element],
        depth: usize,
    ) -> Result<(), String> {
        for e in elements {
            if e.nested {
                self.nest(e.name)
                    .add_elements(registry, &e.inner, depth)
                    .map_err(|err| {
                        let name = e.name;
                        format!("{err}\nfailed to add `{name}` with options `` to inner pipeline")
                    })?;
                continue;
            }
            let added = if let Some(p) = registry.pass(e.name) {
                ParsedOptions::parse(p.options, e.options).and_then(|o| self.add(p, o))
            } else if let Some(p) = registry.pipeline(e.name) {
                if depth >= MAX_NESTING {
                    return Err(format!("pipeline '{}' expands without end", e.name));
                }
                ParsedOptions::parse(p.options, e.options)
                    .and_then(|o| (p.expand)(&o))
                    .and_then(|text| self.parse_at(registry, &text, depth + 1))
            } else {
                // Names were checked.
                Ok(())
            };
            added.map_err(|err| {
                format!(
                    "{err}\nfailed to add `{}` with options `{}`",
                    e.name, e.options
                )
            })?;
        }
        Ok(())
    }
}

fn check_names(t: &Text, registry: &PassRegistry, elements: &[Element]) -> Result<(), String> {
    for e in elements {
        if e.nested {
            check_names(t, registry, &e.inner)?;
        } else if registry.pass(e.name).is_none() && registry.pipeline(e.name).is_none() {
            let at = t.offset(e.name);
            let m = format!(
                "'{}' does not refer to a registered pass or pass pipeline",
                e.name
            );
            return Err(t.error(at, m));
        }
    }
    Ok(())
}

impl PassManager {
    /// The pipeline that `text`, of the form `op-name(...)`, says.
    pub fn parse(registry: &PassRegistry, text: &str) -> Result<PassManager, String> {
        let text = text.trim();
        let wrapped = text.split_once('(').filter(|(op, _)| !op.trim().is_empty());
        let Some((op, inner)) = wrapped.and_then(|(op, i)| Some((op, i.strip_suffix(')')?))) else {
            return Err(
                "expected pass pipeline to be wrapped with the anchor operation type, \
                        e.g. 'builtin.module(...)'"
                    .to_string(),
            );
        };
        let mut pm = PassManager::new(op.trim());
        pm.root.parse_into(registry, inner)?;
        Ok(pm)
    }
}
