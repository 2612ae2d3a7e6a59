//! A format's text as its pieces.

use super::{Anchor, Element, TypeOf};
use crate::opdef::OpDef;

pub(super) struct Compiler<'s> {
    pub(super) def: &'static OpDef,
    pub(super) rest: &'s str,
}

impl Compiler<'_> {
    pub(super) fn all(&mut self) -> Result<Vec<Element>, String> {
        let v = self.sequence(&mut None)?;
        match self.rest.trim().is_empty() {
            true => Ok(v),
            false => Err(format!("unexpected `{}`", self.rest)),
        }
    }

    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, s: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(s) {
            Some(r) => {
                self.rest = r;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> &str {
        self.skip();
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))
            .unwrap_or(self.rest.len());
        let (w, r) = self.rest.split_at(end);
        self.rest = r;
        w
    }

    fn sequence(&mut self, anchor: &mut Option<Anchor>) -> Result<Vec<Element>, String> {
        let mut out = Vec::new();
        loop {
            self.skip();
            let Some(c) = self.rest.chars().next() else {
                return Ok(out);
            };
            match c {
                ')' => return Ok(out),
                '`' => out.push(self.literal()?),
                '(' => out.push(self.group()?),
                '$' => {
                    self.rest = &self.rest[1..];
                    let name = self.word().to_string();
                    let e = self.variable(&name)?;
                    if self.eat("^") {
                        *anchor = Some(match e {
                            Element::Operand(i) => Anchor::Operand(i),
                            Element::Attr(i) => Anchor::Attr(i),
                            Element::Region(i) => Anchor::Region(i),
                            Element::Successor(i) => Anchor::Successor(i),
                            _ => Anchor::Never,
                        });
                    }
                    out.push(e);
                }
                _ => {
                    let word = self.word().to_string();
                    let e = self.directive(&word)?;
                    if self.eat("^") {
                        *anchor = Some(match e {
                            Element::Type(TypeOf::Operand(i)) => Anchor::Operand(i),
                            Element::Type(TypeOf::Result(i)) => Anchor::Result(i),
                            Element::AllOperands | Element::Type(TypeOf::AllOperands) => {
                                Anchor::AllOperands
                            }
                            _ => return Err("anchor on a piece that cannot be absent".into()),
                        });
                    }
                    out.push(e);
                }
            }
        }
    }

    /// What stands in backquotes.
    fn literal(&mut self) -> Result<Element, String> {
        let Some(end) = self.rest[1..].find('`') else {
            return Err("unclosed literal".into());
        };
        let text = &self.rest[1..1 + end];
        self.rest = &self.rest[end + 2..];
        Ok(match text {
            "" => Element::NoSpace,
            " " => Element::Space,
            "\\n" => Element::Newline,
            t => Element::Literal(t.to_string()),
        })
    }

    /// `(then : (otherwise))?`, of which the second part may be left out.
    fn group(&mut self) -> Result<Element, String> {
        self.rest = &self.rest[1..];
        let mut anchor = None;
        let then = self.sequence(&mut anchor)?;
        if !self.eat(")") {
            return Err("unclosed group".into());
        }
        let mut otherwise = Vec::new();
        if self.eat(":") {
            if !self.eat("(") {
                return Err("expected `(` after `:`".into());
            }
            otherwise = self.sequence(&mut None)?;
            if !self.eat(")") {
                return Err("unclosed group".into());
            }
        }
        if !self.eat("?") {
            return Err("expected `?` after group".into());
        }
        Ok(Element::Group {
            then,
            otherwise,
            anchor: anchor.ok_or("group without an anchor `^`")?,
        })
    }

    /// The directive of this name, whose arguments follow.
    fn directive(&mut self, word: &str) -> Result<Element, String> {
        Ok(match word {
            "operands" => Element::AllOperands,
            "regions" => Element::AllRegions,
            "successors" => Element::AllSuccessors,
            "attr-dict" => Element::AttrDict { keyword: false },
            "attr-dict-with-keyword" => Element::AttrDict { keyword: true },
            "type" => Element::Type(self.paren_types()?),
            "qualified" => {
                if !self.eat("(") {
                    return Err("expected `(`".into());
                }
                let mut inner = self.sequence(&mut None)?;
                if !self.eat(")") || inner.len() != 1 {
                    return Err("qualified takes one piece".into());
                }
                inner.remove(0)
            }
            "functional-type" => {
                if !self.eat("(") {
                    return Err("expected `(`".into());
                }
                let a = self.types()?;
                if !self.eat(",") {
                    return Err("expected `,`".into());
                }
                let b = self.types()?;
                if !self.eat(")") {
                    return Err("expected `)`".into());
                }
                Element::FunctionalType(a, b)
            }
            "custom" => self.index_list()?,
            _ => return Err(format!("unknown directive `{word}`")),
        })
    }

    fn index_list(&mut self) -> Result<Element, String> {
        if !self.eat("<DynamicIndexList>") || !self.eat("(") || !self.eat("$") {
            return Err("the only custom directive is `custom<DynamicIndexList>($a, $b)`".into());
        }
        let a = self.word().to_string();
        if !self.eat(",") || !self.eat("$") {
            return Err("expected `, $name`".into());
        }
        let b = self.word().to_string();
        if !self.eat(")") {
            return Err("expected `)`".into());
        }
        match (self.variable(&a)?, self.variable(&b)?) {
            (Element::Operand(values), Element::Attr(statics)) => {
                Ok(Element::IndexList { values, statics })
            }
            _ => Err("an index list takes an operand group and an attribute".into()),
        }
    }

    fn paren_types(&mut self) -> Result<TypeOf, String> {
        if !self.eat("(") {
            return Err("expected `(`".into());
        }
        let t = self.types()?;
        if self.eat(")") {
            Ok(t)
        } else {
            Err("expected `)`".into())
        }
    }

    fn types(&mut self) -> Result<TypeOf, String> {
        if !self.eat("$") {
            return match self.word() {
                "operands" => Ok(TypeOf::AllOperands),
                "results" => Ok(TypeOf::AllResults),
                w => Err(format!(
                    "expected `operands`, `results` or `$name`, got `{w}`"
                )),
            };
        }
        let name = self.word().to_string();
        let find = |d: &[crate::opdef::ValueDef]| d.iter().position(|v| v.name == name);
        if let Some(i) = find(self.def.operands) {
            return Ok(TypeOf::Operand(i));
        }
        find(self.def.results)
            .map(TypeOf::Result)
            .ok_or_else(|| format!("no operand or result `{name}`"))
    }

    fn variable(&self, name: &str) -> Result<Element, String> {
        let d = self.def;
        if let Some(i) = d.operands.iter().position(|v| v.name == name) {
            return Ok(Element::Operand(i));
        }
        if let Some(i) = d.attrs.iter().position(|v| v.name == name) {
            return Ok(Element::Attr(i));
        }
        if let Some(i) = d.regions.iter().position(|v| v.name == name) {
            return Ok(Element::Region(i));
        }
        if let Some(i) = d.successors.iter().position(|v| v.name == name) {
            return Ok(Element::Successor(i));
        }
        Err(format!(
            "no operand, attribute, region or successor `{name}`"
        ))
    }
}
