//! Text to a layout.

use super::{Cursor, ParseError, Parsed};
use crate::layout::LIMIT;
use crate::{Digit, Layout, Resource};

impl Layout {
    /// Reads a layout, as it is printed.
    ///
    /// White space may stand between all parts, and resources may come in any order.
    ///
    /// # Errors
    ///
    /// Where the text is not a layout, with the place, what was found, and what would be
    /// right there.
    pub fn parse(text: &str) -> Result<Layout, ParseError> {
        let mut at = Cursor::new(text);
        let out = layout(&mut at)?;
        at.end()?;
        Ok(out)
    }
}

impl std::str::FromStr for Layout {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Layout, ParseError> {
        Layout::parse(text)
    }
}

fn layout(at: &mut Cursor) -> Parsed<Layout> {
    let start = at.offset();
    at.expect("<")?;
    let shape = at.list("[", "]", |at| at.number_within("an extent", 1, LIMIT))?;
    let mut seen = Vec::new();
    let mut digits = Vec::new();
    while !at.take(">") {
        if !at.take(",") {
            return Err(at.error("`,` or `>`"));
        }
        let resource = resource(at, &seen)?;
        seen.push(resource);
        at.expect("=")?;
        let of_resource = at.list("[", "]", |at| digit(at, shape.len()))?;
        digits.extend(of_resource.into_iter().map(|d| (resource, d)));
    }
    Layout::new(&shape, digits).map_err(|e| ParseError {
        offset: start,
        found: format!("a layout of which {e}"),
        expected: "a smaller layout".to_string(),
    })
}

/// The name of a resource that did not come before.
fn resource(at: &mut Cursor, seen: &[Resource]) -> Parsed<Resource> {
    let left = || Resource::ALL.into_iter().filter(|r| !seen.contains(r));
    if let Some(found) = left().find(|r| at.take(r.name())) {
        return Ok(found);
    }
    let names: Vec<String> = left().map(|r| format!("`{r}`")).collect();
    Err(at.error(match names.as_slice() {
        [] => "`>`".to_string(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }))
}

fn digit(at: &mut Cursor, rank: usize) -> Parsed<Digit> {
    let radix = at.number_within("a radix", 1, LIMIT)?;
    at.expect("@")?;
    let start = at.offset();
    let step = at.list("(", ")", |at| at.number("a coordinate"))?;
    if step.len() != rank {
        let found = format!("a step of {}", step.len());
        return Err(ParseError {
            offset: start,
            found,
            expected: format!("a step of {rank} coordinates, as many as the shape has"),
        });
    }
    Ok(Digit::new(radix, &step))
}
