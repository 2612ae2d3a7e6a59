//! Layouts of memory as text: `<order = [1, 0], pitch = [136, 1], slots = 2, xor(3, 4, 3)>`.

use super::{Memory, Xor};
use crate::error::List;
use crate::text::{Cursor, ParseError, Parsed};
use std::fmt;

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = List(self.order(), ['[', ']'], ", ");
        let pitch = List(self.pitch(), ['[', ']'], ", ");
        write!(
            f,
            "<order = {order}, pitch = {pitch}, slots = {}",
            self.slots()
        )?;
        if let Some(Xor { bits, base, shift }) = self.xor() {
            write!(f, ", xor({bits}, {base}, {shift})")?;
        }
        f.write_str(">")
    }
}

impl Memory {
    /// Reads a layout of memory, as it is printed.
    ///
    /// White space may stand between all parts. Without `slots` there is one slot.
    ///
    /// # Errors
    ///
    /// Where the text is not one, with the place, what was found, and what would be right
    /// there.
    pub fn parse(text: &str) -> Result<Memory, ParseError> {
        let mut at = Cursor::new(text);
        let out = memory(&mut at)?;
        at.end()?;
        Ok(out)
    }
}

impl std::str::FromStr for Memory {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Memory, ParseError> {
        Memory::parse(text)
    }
}

fn memory(at: &mut Cursor) -> Parsed<Memory> {
    let start = at.offset();
    at.expect("<")?;
    at.expect("order")?;
    at.expect("=")?;
    let order = at.list("[", "]", |at| at.number_within("a dimension", 0, 15))?;
    let order: Vec<usize> = order.into_iter().map(|n| n as usize).collect();
    at.expect(",")?;
    at.expect("pitch")?;
    at.expect("=")?;
    let pitch = at.list("[", "]", |at| at.number("a pitch"))?;
    let (mut slots, mut xor) = (None, None);
    while !at.take(">") {
        if !at.take(",") {
            return Err(at.error("`,` or `>`"));
        }
        if xor.is_none() && at.take("xor") {
            at.expect("(")?;
            let mut part = |what: &str, end: &str| {
                let n = at.number_within(what, 0, 63)?;
                at.expect(end)?;
                Ok(n as u32)
            };
            xor = Some(Xor {
                bits: part("a number of bits", ",")?,
                base: part("a lowest bit", ",")?,
                shift: part("a shift", ")")?,
            });
        } else if slots.is_none() && xor.is_none() && at.take("slots") {
            at.expect("=")?;
            slots = Some(at.number("a number of slots")?);
        } else {
            return Err(at.error(match (slots, xor) {
                (None, None) => "`slots` or `xor`",
                (Some(_), None) => "`xor`",
                (_, Some(_)) => "nothing more",
            }));
        }
    }
    let slots = slots.unwrap_or(1);
    Memory::new(&order, &pitch, slots, xor).map_err(|e| ParseError {
        offset: start,
        found: format!("one that is wrong: {e}"),
        expected: "a layout of memory".to_string(),
    })
}
