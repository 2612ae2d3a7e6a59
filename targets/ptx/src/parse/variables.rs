//! Declarations of variables.

use super::cursor::Parse;
use super::lex::Tok;
use super::module::{Reader, space_named, type_named};
use super::operand::immediate;
use crate::modifiers::Space;
use crate::module::{Init, Var};
use crate::operand::Operand;
use crate::types::Ty;

impl<'a> Reader<'_, 'a> {
    /// `.space .align n .type name[len] = {..}, ..;` with the place of each
    /// name.
    pub fn variables(&mut self, visible: bool) -> Parse<Vec<(usize, &'a str, Var)>> {
        let space = match self.cursor.next() {
            Tok::Dot(name) => space_named(name).unwrap_or_default(),
            _ => Space::Generic,
        };
        let (mut align, mut elements) = (0u32, 1u64);
        let ty = loop {
            let at = self.cursor.byte();
            match self.cursor.peek() {
                Tok::Dot("align") => {
                    self.cursor.next();
                    let n = self.cursor.number("an alignment")?;
                    align = match u32::try_from(n) {
                        Ok(n) if n.is_power_of_two() => n,
                        _ => {
                            return self.cursor.fail(
                                at,
                                format!("an alignment of {n} bytes; it must be a power of two"),
                            );
                        }
                    };
                }
                Tok::Dot("v2") => {
                    elements = 2;
                    self.cursor.next();
                }
                Tok::Dot("v4") => {
                    elements = 4;
                    self.cursor.next();
                }
                Tok::Dot("attribute") => {
                    self.cursor.next();
                    while !self.cursor.eat(')') && self.cursor.peek() != Tok::End {
                        self.cursor.next();
                    }
                }
                Tok::Dot(name) => match type_named(name) {
                    Some(ty) => {
                        self.cursor.next();
                        break ty;
                    }
                    None => return self.cursor.expected("a type"),
                },
                _ => return self.cursor.expected("a type"),
            }
        };
        let mut vars = Vec::new();
        loop {
            let at = self.cursor.byte();
            let name = self.cursor.word("a variable's name")?;
            let len = self.dimensions()?;
            let len = match len {
                Some(len) => len.checked_mul(elements),
                None => None,
            };
            let mut var = Var {
                name: name.to_string(),
                space,
                ty,
                len,
                align: align.max(ty.bytes() * elements as u32),
                init: Init::None,
                visible,
            };
            if self.cursor.eat('=') {
                var.init = self.initial(ty)?;
            }
            vars.push((at, name, var));
            if !self.cursor.eat(',') {
                break;
            }
        }
        self.cursor.expect(';')?;
        Ok(vars)
    }

    /// The number of elements; none for `[]`.
    pub fn dimensions(&mut self) -> Parse<Option<u64>> {
        let mut len = Some(1u64);
        while self.cursor.peek() == Tok::Punct('[') {
            self.cursor.next();
            if self.cursor.eat(']') {
                len = None;
                continue;
            }
            let at = self.cursor.byte();
            let n = self.cursor.number("a number of elements")?;
            len = match len {
                Some(before) => match before.checked_mul(n) {
                    Some(all) => Some(all),
                    None => return self.cursor.fail(at, "an array beyond 64 bits".into()),
                },
                None => None,
            };
            self.cursor.expect(']')?;
        }
        Ok(len)
    }

    fn initial(&mut self, ty: Ty) -> Parse<Init> {
        let mut values = Vec::new();
        let mut depth = 0usize;
        loop {
            if self.cursor.eat('{') {
                depth += 1;
                continue;
            }
            if depth > 0 && self.cursor.eat('}') {
                depth -= 1;
            } else {
                let at = self.cursor.byte();
                let negative = self.cursor.eat('-');
                let word = self.cursor.word("a value")?;
                match immediate(word, negative, ty) {
                    Some(value) => values.push(value),
                    None => {
                        let message = format!(
                            "expected a number, found `{word}`; addresses as initial values are not supported"
                        );
                        let failed = self.cursor.fail(at, message);
                        // What is left of the list belongs to the same error.
                        while !matches!(self.cursor.peek(), Tok::End | Tok::Punct(';')) {
                            self.cursor.next();
                        }
                        return failed;
                    }
                }
            }
            if depth == 0 {
                break;
            }
            if self.cursor.peek() != Tok::Punct('}') {
                self.cursor.expect(',')?;
            }
        }
        Ok(match ty {
            Ty::F32 => Init::F32(values.iter().map(bits).map(|b| b as u32).collect()),
            Ty::F64 => Init::F64(values.iter().map(bits).collect()),
            _ => Init::Ints(values.iter().map(|v| bits(v) as i64).collect()),
        })
    }
}

/// The bits of an immediate.
fn bits(value: &Operand) -> u64 {
    match value {
        Operand::Imm(v) => *v as u64,
        Operand::F32(v) => u64::from(*v),
        Operand::F64(v) => *v,
        _ => 0,
    }
}
