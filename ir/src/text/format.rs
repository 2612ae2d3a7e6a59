//! Assembly formats: the custom syntax of a regular op as one string.
//!
//! The language is that of upstream's `assemblyFormat`:
//!
//! | written | means |
//! | --- | --- |
//! | `` `word` `` `` `,` `` | literal text; ` `` ` prints no space |
//! | `$name` | an operand group, attribute, region or successor of the op |
//! | `type($name)` | the types of an operand or result group |
//! | `type(operands)`, `type(results)`, `operands`, `regions`, `successors` | all of them |
//! | `functional-type(a, b)` | `(types of a) -> types of b`; `operands` and `results` too |
//! | `attr-dict`, `attr-dict-with-keyword` | attributes not written elsewhere |
//! | `( ... $anchor^ ... )?` | there when the anchor is; `( ... )? : ( ... )?` chooses |
//! | `custom<DynamicIndexList>($values, $statics)` | `[0, %a]`: numbers, and values where `$statics` has the dynamic marker |
//!
//! Types that the format leaves out come from the operand constraint where that
//! allows one type, from the op's `same_type` groups and traits, or from `infer`.

use super::parser::{Failed, PResult, Parser, UnresolvedOperand};
use super::printer::Printer;
use crate::attr::Attr;
use crate::builder::OpState;
use crate::constraint::{Arity, AttrSyntax};
use crate::context::Context;
use crate::op::Op;
use crate::opdef::{OpDef, Syntax, traits};
use crate::text::token::TokenKind as T;
use crate::types::{DYNAMIC, Type};

/// A piece of a format.
#[derive(Debug, Clone)]
pub(crate) enum Element {
    Literal(String),
    /// `` ` ` ``-style empty literal: no space before the next piece.
    NoSpace,
    /// A space that is printed in any case.
    Space,
    Newline,
    Operand(usize),
    Attr(usize),
    Region(usize),
    Successor(usize),
    AllOperands,
    AllRegions,
    AllSuccessors,
    Type(TypeOf),
    FunctionalType(TypeOf, TypeOf),
    /// An operand group and the attribute of the numbers between its values.
    IndexList {
        values: usize,
        statics: usize,
    },
    AttrDict {
        keyword: bool,
    },
    Group {
        then: Vec<Element>,
        otherwise: Vec<Element>,
        anchor: Anchor,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TypeOf {
    Operand(usize),
    Result(usize),
    AllOperands,
    AllResults,
}

/// What decides whether an optional group is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Operand(usize),
    Attr(usize),
    Region(usize),
    Result(usize),
    Successor(usize),
    AllOperands,
    /// The group starts with a literal whose presence sets a unit attribute.
    Never,
}

/// The compiled formats of a context's ops.
#[derive(Default)]
pub(crate) struct Formats(rustc_hash::FxHashMap<&'static str, std::sync::Arc<Vec<Element>>>);

impl Context {
    pub(crate) fn format_of(&self, def: &'static OpDef) -> std::sync::Arc<Vec<Element>> {
        if let Some(f) = self.formats.borrow().0.get(def.name) {
            return f.clone();
        }
        let text = match def.syntax {
            Syntax::Format(t) => t,
            _ => "",
        };
        let elements = Compiler { def, rest: text }.all().unwrap_or_else(|e| {
            // Formats are program text: a bad one is a bug in the declaration, found
            // by the test that compiles every registered format.
            panic!("format of '{}': {e} in `{text}`", def.name)
        });
        let f = std::sync::Arc::new(elements);
        self.formats.borrow_mut().0.insert(def.name, f.clone());
        f
    }

    /// Check every registered format; the error names the op. For tests.
    pub fn check_formats(&self) -> Result<(), String> {
        for d in self.dialects() {
            for op in d.ops {
                if let Syntax::Format(t) = op.syntax {
                    Compiler { def: op, rest: t }
                        .all()
                        .map_err(|e| format!("format of '{}': {e}", op.name))?;
                }
            }
        }
        Ok(())
    }
}

// ---- compilation ----

struct Compiler<'s> {
    def: &'static OpDef,
    rest: &'s str,
}

impl Compiler<'_> {
    fn all(&mut self) -> Result<Vec<Element>, String> {
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
                '`' => {
                    let Some(end) = self.rest[1..].find('`') else {
                        return Err("unclosed literal".into());
                    };
                    let text = &self.rest[1..1 + end];
                    self.rest = &self.rest[end + 2..];
                    out.push(match text {
                        "" => Element::NoSpace,
                        " " => Element::Space,
                        "\\n" => Element::Newline,
                        t => Element::Literal(t.to_string()),
                    });
                }
                '(' => {
                    self.rest = &self.rest[1..];
                    let mut a = None;
                    let then = self.sequence(&mut a)?;
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
                    let anchor = a.ok_or("group without an anchor `^`")?;
                    out.push(Element::Group {
                        then,
                        otherwise,
                        anchor,
                    });
                }
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
                    let e = match word.as_str() {
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
                    };
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

// ---- parsing ----

/// What has been read of an op so far.
struct Reader<'a> {
    operands: Vec<Vec<UnresolvedOperand<'a>>>,
    operand_types: Vec<Option<Vec<Type>>>,
    result_types: Vec<Option<Vec<Type>>>,
    all_operands: Option<Vec<UnresolvedOperand<'a>>>,
    all_operand_types: Option<Vec<Type>>,
    all_result_types: Option<Vec<Type>>,
    regions: Vec<Option<crate::builder::RegionHolder>>,
    successors: Vec<Vec<crate::block::Block>>,
    pos: u32,
}

pub(super) fn parse(p: &mut Parser, def: &'static OpDef, state: &mut OpState) -> PResult<()> {
    let format = p.ctx.format_of(def);
    let mut r = Reader {
        operands: vec![Vec::new(); def.operands.len()],
        operand_types: vec![None; def.operands.len()],
        result_types: vec![None; def.results.len()],
        all_operands: None,
        all_operand_types: None,
        all_result_types: None,
        regions: vec![None; def.regions.len()],
        successors: vec![Vec::new(); def.successors.len()],
        pos: p.pos(),
    };
    let ok = parse_elements(p, def, state, &format, &mut r);
    state.regions = std::mem::take(&mut r.regions);
    ok?;
    finish(p, def, state, r)
}

fn parse_elements<'a>(
    p: &mut Parser<'a>,
    def: &'static OpDef,
    state: &mut OpState,
    elements: &[Element],
    r: &mut Reader<'a>,
) -> PResult<()> {
    for e in elements {
        parse_element(p, def, state, e, r)?;
    }
    Ok(())
}

/// A literal as tokens: words are keywords, the rest is punctuation.
fn literal_kind(s: &str) -> Option<T> {
    Some(match s {
        "->" => T::Arrow,
        ":" => T::Colon,
        "," => T::Comma,
        "=" => T::Equal,
        ">" => T::Greater,
        "{" => T::LBrace,
        "(" => T::LParen,
        "[" => T::LSquare,
        "<" => T::Less,
        "-" => T::Minus,
        "+" => T::Plus,
        "?" => T::Question,
        "}" => T::RBrace,
        ")" => T::RParen,
        "]" => T::RSquare,
        "*" => T::Star,
        "|" => T::VerticalBar,
        "/" => T::Slash,
        "..." => T::Ellipsis,
        _ => return None,
    })
}

fn at_literal(p: &Parser, s: &str) -> bool {
    match literal_kind(s) {
        Some(k) => p.at(k),
        None => p.at_keyword(s),
    }
}

fn parse_element<'a>(
    p: &mut Parser<'a>,
    def: &'static OpDef,
    state: &mut OpState,
    e: &Element,
    r: &mut Reader<'a>,
) -> PResult<()> {
    match e {
        Element::NoSpace | Element::Space | Element::Newline => Ok(()),
        Element::Literal(s) => match literal_kind(s) {
            Some(k) => p.expect(k),
            None => p.expect_keyword(s),
        },
        Element::Operand(i) => {
            r.operands[*i] = match def.operands[*i].constraint.arity {
                Arity::One => vec![p.parse_operand()?],
                Arity::Optional => p.parse_optional_operand()?.into_iter().collect(),
                Arity::Variadic => p.parse_operand_list()?,
            };
            Ok(())
        }
        Element::AllOperands => {
            r.all_operands = Some(p.parse_operand_list()?);
            Ok(())
        }
        Element::Attr(i) => parse_attr(p, def, state, *i),
        Element::Region(i) => {
            let isolated = def.has(traits::ISOLATED);
            r.regions[*i] = Some(p.parse_region(&[], isolated)?);
            Ok(())
        }
        Element::AllRegions => {
            let isolated = def.has(traits::ISOLATED);
            let mut v = Vec::new();
            if let Some(h) = p.parse_optional_region(&[], isolated)? {
                v.push(Some(h));
                while p.eat(T::Comma) {
                    v.push(Some(p.parse_region(&[], isolated)?));
                }
            }
            r.regions = v;
            Ok(())
        }
        Element::Successor(i) => {
            if def.successors[*i].variadic && !p.at(T::CaretIdentifier) {
                return Ok(());
            }
            r.successors[*i].push(p.parse_successor()?);
            while def.successors[*i].variadic && p.eat(T::Comma) {
                r.successors[*i].push(p.parse_successor()?);
            }
            Ok(())
        }
        Element::AllSuccessors => {
            if !p.at(T::CaretIdentifier) {
                return Ok(());
            }
            let mut v = vec![p.parse_successor()?];
            while p.eat(T::Comma) {
                v.push(p.parse_successor()?);
            }
            state.successors = v;
            Ok(())
        }
        Element::Type(t) => {
            let types = match t {
                TypeOf::Operand(i) => parse_types(p, def.operands[*i].constraint.arity)?,
                TypeOf::Result(i) => parse_types(p, def.results[*i].constraint.arity)?,
                _ => parse_types(p, Arity::Variadic)?,
            };
            set_types(r, *t, types);
            Ok(())
        }
        Element::FunctionalType(a, b) => {
            let (i, o) = p.parse_signature()?;
            set_types(r, *a, i);
            set_types(r, *b, o);
            Ok(())
        }
        Element::IndexList { values, statics } => {
            let (group, numbers) = parse_index_list(p)?;
            r.operands[*values] = group;
            let a = p.ctx.i64_array(&numbers);
            state.set_attr(p.ctx, def.attrs[*statics].name, a);
            Ok(())
        }
        Element::AttrDict { keyword: false } => p.parse_optional_attr_dict(state),
        Element::AttrDict { keyword: true } => p.parse_optional_attr_dict_with_keyword(state),
        Element::Group {
            then,
            otherwise,
            anchor,
        } => {
            if group_starts(p, def, then)? {
                parse_elements(p, def, state, then, r)?;
                if let Anchor::Attr(i) = anchor
                    && matches!(def.attrs[*i].constraint.syntax, AttrSyntax::Unit)
                {
                    let unit = p.ctx.unit();
                    state.set_attr(p.ctx, def.attrs[*i].name, unit);
                }
                return Ok(());
            }
            parse_elements(p, def, state, otherwise, r)
        }
    }
}

/// Whether the text here begins the optional group.
fn group_starts(p: &Parser, def: &'static OpDef, then: &[Element]) -> PResult<bool> {
    for e in then {
        return Ok(match e {
            Element::NoSpace | Element::Space | Element::Newline => continue,
            Element::Literal(s) => at_literal(p, s),
            Element::Operand(_) | Element::AllOperands => p.at(T::PercentIdentifier),
            Element::Region(_) | Element::AllRegions => p.at(T::LBrace),
            Element::Successor(_) | Element::AllSuccessors => p.at(T::CaretIdentifier),
            Element::Attr(i) => match def.attrs[*i].constraint.syntax {
                AttrSyntax::Enum(d) => d.cases.iter().any(|c| p.at_keyword(c.0)),
                AttrSyntax::SymbolName => p.at(T::AtIdentifier),
                AttrSyntax::DenseArray(_) => p.at(T::LSquare),
                _ => {
                    !matches!(p.kind(), T::LBrace | T::Colon | T::RBrace | T::Eof)
                        && !p.at(T::PercentIdentifier)
                }
            },
            Element::AttrDict { keyword: true } => p.at_keyword("attributes"),
            Element::AttrDict { keyword: false } => p.at(T::LBrace),
            _ => false,
        });
    }
    Ok(false)
}

/// `[0, %a, 4]`.
fn parse_index_list<'a>(p: &mut Parser<'a>) -> PResult<(Vec<UnresolvedOperand<'a>>, Vec<i64>)> {
    let (mut values, mut numbers) = (Vec::new(), Vec::new());
    p.parse_list(T::LSquare, T::RSquare, |p| {
        if let Some(v) = p.parse_optional_operand()? {
            values.push(v);
            numbers.push(DYNAMIC);
        } else if let Some(n) = p.parse_optional_i64()? {
            numbers.push(n);
        } else {
            return Err(p.error_here("expected SSA value or integer"));
        }
        Ok(())
    })?;
    Ok((values, numbers))
}

fn parse_types(p: &mut Parser, arity: Arity) -> PResult<Vec<Type>> {
    match arity {
        Arity::One => Ok(vec![p.parse_type()?]),
        Arity::Optional => Ok(p.parse_optional_type()?.into_iter().collect()),
        Arity::Variadic => {
            let mut v = Vec::new();
            if let Some(t) = p.parse_optional_type()? {
                v.push(t);
                while p.eat(T::Comma) {
                    v.push(p.parse_type()?);
                }
            }
            Ok(v)
        }
    }
}

fn set_types(r: &mut Reader, of: TypeOf, types: Vec<Type>) {
    match of {
        TypeOf::Operand(i) => r.operand_types[i] = Some(types),
        TypeOf::Result(i) => r.result_types[i] = Some(types),
        TypeOf::AllOperands => r.all_operand_types = Some(types),
        TypeOf::AllResults => r.all_result_types = Some(types),
    }
}

fn parse_attr(p: &mut Parser, def: &'static OpDef, state: &mut OpState, i: usize) -> PResult<()> {
    let a = &def.attrs[i];
    let value = match a.constraint.syntax {
        AttrSyntax::Full => p.parse_attr()?,
        AttrSyntax::Str => {
            let pos = p.pos();
            let none = p.ctx.none_type();
            let v = p.parse_attr_of(Some(none))?;
            if v.as_str_lossy(p.ctx).is_none() {
                return Err(p.error(pos, "invalid kind of attribute specified"));
            }
            v
        }
        AttrSyntax::Typed(ty) => {
            let ty = ty(p.ctx);
            let pos = p.pos();
            let v = p.parse_attr_of(Some(ty))?;
            if v.typed(p.ctx) != Some(ty) {
                return Err(p.error(pos, "invalid kind of attribute specified"));
            }
            v
        }
        AttrSyntax::Type => {
            let t = p.parse_type()?;
            p.ctx.type_attr(t)
        }
        AttrSyntax::SymbolName => {
            let s = p.parse_symbol_name()?;
            p.ctx.string_attr(&s)
        }
        AttrSyntax::Enum(d) => {
            let v = parse_enum(p, d, a.name)?;
            d.attr(p.ctx, v)
        }
        AttrSyntax::DenseArray(elem) => {
            let elem = elem(p.ctx);
            p.parse_dense_array_elements(elem)?
        }
        AttrSyntax::Unit => return Ok(()),
        AttrSyntax::Stripped { dialect, mnemonic } => p.parse_attr_params(dialect, mnemonic)?,
    };
    state.set_attr(p.ctx, a.name, value);
    Ok(())
}

/// The keyword (or keywords) of an enumeration, bare or as a string.
pub fn parse_enum(p: &mut Parser, d: &crate::constraint::EnumDef, attr: &str) -> PResult<i64> {
    let words: Vec<&str> = d.cases.iter().map(|c| c.0).collect();
    let mut value = 0;
    loop {
        let pos = p.pos();
        let quoted = match p.kind() {
            T::String => Some(String::from_utf8_lossy(&p.parse_string()?).into_owned()),
            _ => None,
        };
        let known = words.iter().find(|w| p.eat_keyword(w));
        let Some(w) = quoted.as_deref().or(known.copied()) else {
            let m = format!(
                "expected string or keyword containing one of the following enum values for attribute '{attr}' [{}]",
                words.join(", ")
            );
            return Err(p.error(pos, m));
        };
        let Some(v) = d.parse(w) else {
            let m = format!("invalid {attr} attribute specification: \"{w}\"");
            return Err(p.error(pos, m));
        };
        value |= v;
        let more = d.bits
            && match d.separator.trim() {
                "," => p.eat(T::Comma),
                "|" => p.eat(T::VerticalBar),
                _ => false,
            };
        if !more {
            return Ok(value);
        }
    }
}

/// Work out the types left out, then resolve the operands.
fn finish<'a>(
    p: &mut Parser<'a>,
    def: &'static OpDef,
    state: &mut OpState,
    mut r: Reader<'a>,
) -> PResult<()> {
    for s in r.successors.drain(..) {
        state.successors.extend(s);
    }
    let pos = r.pos;
    if let Some(all) = &r.all_operands {
        let types = match r.all_operand_types.take() {
            Some(t) => t,
            None if all.is_empty() => Vec::new(),
            None => {
                if def.operands.len() == 1 {
                    match r.operand_types[0].take() {
                        Some(t) => t,
                        None => return Err(p.error(pos, "types of the operands are not given")),
                    }
                } else {
                    r.operand_types
                        .iter_mut()
                        .flat_map(|t| t.take().unwrap_or_default())
                        .collect()
                }
            }
        };
        let values = p.resolve_operands(all, &types, pos)?;
        state.operands.extend(values);
    } else {
        deduce_types(p.ctx, def, &mut r);
        if let Some(all) = r.all_operand_types.take() {
            // `type(operands)` after operands that were named one by one.
            let flat: Vec<_> = r.operands.concat();
            let values = p.resolve_operands(&flat, &all, pos)?;
            state.operands.extend(values);
        } else {
            for (i, group) in r.operands.iter().enumerate() {
                if group.is_empty() {
                    continue;
                }
                let d = &def.operands[i];
                let values = match (&r.operand_types[i], d.constraint.build) {
                    (Some(t), _) if t.len() == group.len() => p.resolve_operands(group, t, pos)?,
                    (Some(t), _) if t.len() == 1 && d.constraint.arity == Arity::Variadic => {
                        let t = t[0];
                        // One type for all, where the format writes only one.
                        if same_typed(def, d.name) {
                            p.resolve_all(group, t)?
                        } else {
                            p.resolve_operands(group, &[t], pos)?
                        }
                    }
                    (Some(t), _) => {
                        let t = t.clone();
                        p.resolve_operands(group, &t, pos)?
                    }
                    (None, Some(build)) => {
                        let t = build(p.ctx);
                        p.resolve_all(group, t)?
                    }
                    (None, None) => {
                        let m = format!("the type of operand '{}' is not known here", d.name);
                        return Err(p.error(pos, m));
                    }
                };
                state.operands.extend(values);
            }
        }
        if def.has(traits::ATTR_SIZED_OPERANDS) {
            let sizes: Vec<i32> = r.operands.iter().map(|g| g.len() as i32).collect();
            let a = p.ctx.i32_array(&sizes);
            state.set_attr(p.ctx, "operandSegmentSizes", a);
        }
    }
    result_types(p, def, state, r)
}

fn same_typed(def: &OpDef, name: &str) -> bool {
    def.has(traits::SAME_TYPE_OPERANDS)
        || def.has(traits::SAME_OPERANDS_AND_RESULT_TYPE)
        || def.same_type.iter().any(|g| g.contains(&name))
}

/// Spread known types over the groups that must be equal to them.
fn deduce_types(ctx: &Context, def: &'static OpDef, r: &mut Reader) {
    if let Some(all) = &r.all_operand_types
        && def
            .operands
            .iter()
            .all(|o| o.constraint.arity == Arity::One)
        && all.len() == def.operands.len()
    {
        for (i, t) in all.iter().enumerate() {
            r.operand_types[i] = Some(vec![*t]);
        }
        r.all_operand_types = None;
    }
    let same_all = def.has(traits::SAME_OPERANDS_AND_RESULT_TYPE);
    let same_operands = same_all || def.has(traits::SAME_TYPE_OPERANDS);
    let known = |r: &Reader, name: &str| -> Option<Type> {
        if let Some(i) = def.operands.iter().position(|o| o.name == name) {
            return r.operand_types[i].as_ref().and_then(|t| t.first().copied());
        }
        let i = def.results.iter().position(|o| o.name == name)?;
        r.result_types[i].as_ref().and_then(|t| t.first().copied())
    };
    let set = |r: &mut Reader, name: &str, t: Type| {
        if let Some(i) = def.operands.iter().position(|o| o.name == name) {
            if r.operand_types[i].is_none() {
                let n = r.operands[i].len().max(1);
                r.operand_types[i] = Some(vec![t; n]);
            }
        } else if let Some(i) = def.results.iter().position(|o| o.name == name)
            && r.result_types[i].is_none()
        {
            r.result_types[i] = Some(vec![t]);
        }
    };
    for group in def.same_type {
        if let Some(t) = group.iter().find_map(|n| known(r, n)) {
            for n in *group {
                set(r, n, t);
            }
        }
    }
    if same_operands {
        let operands = def.operands.iter().map(|o| o.name);
        let results = def.results.iter().filter(|_| same_all).map(|o| o.name);
        let names: Vec<&str> = operands.chain(results).collect();
        if let Some(t) = names.iter().find_map(|n| known(r, n)) {
            for n in names {
                set(r, n, t);
            }
        }
    }
    for (i, d) in def.results.iter().enumerate() {
        if r.result_types[i].is_none()
            && d.constraint.arity == Arity::One
            && let Some(b) = d.constraint.build
        {
            r.result_types[i] = Some(vec![b(ctx)]);
        }
    }
}

fn result_types(
    p: &mut Parser,
    def: &'static OpDef,
    state: &mut OpState,
    r: Reader,
) -> PResult<()> {
    if let Some(t) = r.all_result_types {
        state.result_types = t;
        return Ok(());
    }
    if let Some(infer) = def.infer
        && r.result_types.iter().any(Option::is_none)
    {
        return match infer(p.ctx, state) {
            Ok(t) => {
                state.result_types = t;
                Ok(())
            }
            Err(m) => Err(p.error(r.pos, format!("'{}' op {m}", def.name))),
        };
    }
    for (d, t) in def.results.iter().zip(r.result_types) {
        match t {
            Some(t) => state.result_types.extend(t),
            None if d.constraint.arity == Arity::One => {
                if same_typed(def, d.name)
                    && let Some(v) = state.operands.first()
                {
                    let t = v.ty(p.ctx);
                    state.result_types.push(t);
                    continue;
                }
                let m = format!("the type of result '{}' is not known here", d.name);
                return Err(p.error(r.pos, m));
            }
            None => {}
        }
    }
    Ok(())
}

// ---- printing ----

pub(super) fn print(p: &mut Printer, def: &'static OpDef, op: Op) {
    let format = p.ctx.format_of(def);
    let mut elided: Vec<&str> = Vec::new();
    collect_written(def, &format, &mut elided);
    if def.has(traits::ATTR_SIZED_OPERANDS) {
        elided.push("operandSegmentSizes");
    }
    if def.has(traits::ATTR_SIZED_RESULTS) {
        elided.push("resultSegmentSizes");
    }
    let mut w = Writer {
        def,
        op,
        elided: &elided,
        space: true,
        after_punctuation: false,
        mute: false,
    };
    w.all(p, &format);
}

/// The attributes that the format writes outside the dictionary.
fn collect_written(def: &'static OpDef, elements: &[Element], out: &mut Vec<&'static str>) {
    for e in elements {
        match e {
            Element::Attr(i) | Element::IndexList { statics: i, .. } => {
                out.push(def.attrs[*i].name);
            }
            Element::Group {
                then,
                otherwise,
                anchor,
            } => {
                collect_written(def, then, out);
                collect_written(def, otherwise, out);
                if let Anchor::Attr(i) = anchor {
                    out.push(def.attrs[*i].name);
                }
            }
            _ => {}
        }
    }
}

/// Spacing follows upstream's generated printers, whose state runs through optional
/// groups whether they are printed or not.
struct Writer<'w> {
    def: &'static OpDef,
    op: Op,
    elided: &'w [&'w str],
    space: bool,
    after_punctuation: bool,
    /// Only keep the spacing state, in a group that is not printed.
    mute: bool,
}

impl Writer<'_> {
    fn all(&mut self, p: &mut Printer, elements: &[Element]) {
        for e in elements {
            self.element(p, e);
        }
    }

    fn gap(&mut self, p: &mut Printer) {
        if (self.space || !self.after_punctuation) && !self.mute {
            p.write(" ");
        }
        self.space = true;
        self.after_punctuation = false;
    }

    fn literal(&mut self, p: &mut Printer, s: &str) {
        let c = s.chars().next().unwrap_or(' ');
        let space_before = if s.len() != 1 && s != "->" {
            true
        } else if self.after_punctuation {
            !">)}],".contains(c)
        } else {
            !"<>(){}[],".contains(c)
        };
        if !self.mute {
            if self.space && space_before {
                p.write(" ");
            }
            p.write(s);
        }
        self.space = s.len() != 1 || !"<({[".contains(c);
        self.after_punctuation = c != '_' && !c.is_ascii_alphabetic();
    }

    fn present(&self, p: &Printer, a: Anchor) -> bool {
        let (ctx, op, def) = (p.ctx, self.op, self.def);
        match a {
            Anchor::Operand(i) => def.operand_range(ctx, op, i).is_some_and(|r| !r.is_empty()),
            Anchor::Result(i) => def.result_range(ctx, op, i).is_some_and(|r| !r.is_empty()),
            Anchor::Attr(i) => match op.attr(ctx, def.attrs[i].name) {
                Some(a) => def.attrs[i].constraint.default.is_none_or(|d| d(ctx) != a),
                None => false,
            },
            Anchor::Region(i) => i < op.num_regions(ctx) && !op.region(ctx, i).is_empty(ctx),
            Anchor::Successor(_) => op.num_successors(ctx) > 0,
            Anchor::AllOperands => op.num_operands(ctx) > 0,
            Anchor::Never => false,
        }
    }

    fn element(&mut self, p: &mut Printer, e: &Element) {
        match e {
            Element::Space => {
                if !self.mute {
                    p.write(" ");
                }
                self.space = false;
                self.after_punctuation = false;
                return;
            }
            Element::NoSpace => {
                self.space = false;
                self.after_punctuation = true;
                return;
            }
            Element::Newline => {
                if !self.mute {
                    p.newline();
                }
                self.space = false;
                self.after_punctuation = true;
                return;
            }
            Element::Literal(s) => return self.literal(p, s),
            Element::AttrDict { keyword } => {
                if !self.mute {
                    let mut elided = self.elided.to_vec();
                    elided.extend(self.default_valued(p.ctx));
                    p.attr_dict(self.op, &elided, *keyword);
                }
                self.after_punctuation = false;
                return;
            }
            Element::Group {
                then,
                otherwise,
                anchor,
            } => {
                let was = self.mute;
                let here = !was && self.present(p, *anchor);
                self.mute = !here;
                self.all(p, then);
                self.mute = was || here;
                self.all(p, otherwise);
                self.mute = was;
                return;
            }
            Element::Attr(i)
                if matches!(self.def.attrs[*i].constraint.syntax, AttrSyntax::Unit) =>
            {
                // Its presence is said by the words around it.
                return;
            }
            _ => {}
        }
        self.gap(p);
        if !self.mute {
            self.variable(p, e);
        }
    }

    fn variable(&mut self, p: &mut Printer, e: &Element) {
        let (ctx, op, def) = (p.ctx, self.op, self.def);
        match e {
            Element::Operand(i) => {
                let range = def.operand_range(ctx, op, *i).unwrap_or(0..0);
                let values: Vec<_> = range.map(|k| op.operand(ctx, k)).collect();
                p.values(&values);
            }
            Element::AllOperands => {
                let v = op.operands(ctx);
                p.values(&v);
            }
            Element::IndexList { values, statics } => {
                let numbers = op.attr(ctx, def.attrs[*statics].name);
                let numbers = numbers
                    .and_then(|a| a.as_i64_array(ctx))
                    .unwrap_or_default();
                let mut values = def.operand_range(ctx, op, *values).unwrap_or(0..0);
                p.write("[");
                p.list(&numbers, |p, n| {
                    match (n == DYNAMIC).then(|| values.next()).flatten() {
                        Some(k) => p.value(op.operand(ctx, k)),
                        None => p.fmt(format_args!("{n}")),
                    }
                });
                p.write("]");
            }
            Element::Attr(i) => {
                let d = &def.attrs[*i];
                let default = d.constraint.default.map(|f| f(ctx));
                if let Some(a) = op.attr(ctx, d.name).or(default) {
                    print_attr(p, &d.constraint.syntax, a);
                }
            }
            Element::Region(i) if *i < op.num_regions(ctx) => {
                print_region(p, def, op.region(ctx, *i));
            }
            Element::AllRegions => {
                let regions = op.regions(ctx);
                p.list(&regions, |p, r| print_region(p, def, r));
            }
            Element::Successor(_) | Element::AllSuccessors => {
                let all = op.successors(ctx);
                let list = match e {
                    Element::Successor(i) if !def.successors[*i].variadic => {
                        all.get(*i..*i + 1).unwrap_or(&[])
                    }
                    Element::Successor(i) => all.get(*i..).unwrap_or(&[]),
                    _ => &all,
                };
                p.list(list, |p, b| p.block_name(b));
            }
            Element::Type(t) => {
                let types = self.types(ctx, *t);
                p.types(&types);
            }
            Element::FunctionalType(a, b) => {
                let (a, b) = (self.types(ctx, *a), self.types(ctx, *b));
                p.signature(&a, &b);
            }
            _ => {}
        }
    }

    /// Attributes that have their default value, which is not written.
    fn default_valued(&self, ctx: &Context) -> Vec<&'static str> {
        let same = |d: &&crate::opdef::AttrDef| {
            d.constraint
                .default
                .is_some_and(|f| self.op.attr(ctx, d.name) == Some(f(ctx)))
        };
        self.def.attrs.iter().filter(same).map(|d| d.name).collect()
    }

    fn types(&self, ctx: &Context, of: TypeOf) -> Vec<Type> {
        match of {
            TypeOf::Operand(i) => {
                let r = self.def.operand_range(ctx, self.op, i).unwrap_or(0..0);
                r.map(|k| self.op.operand(ctx, k).ty(ctx)).collect()
            }
            TypeOf::Result(i) => {
                let r = self.def.result_range(ctx, self.op, i).unwrap_or(0..0);
                r.map(|k| self.op.result(ctx, k).ty(ctx)).collect()
            }
            TypeOf::AllOperands => self.op.operand_types(ctx),
            TypeOf::AllResults => self.op.result_types(ctx),
        }
    }
}

fn print_region(p: &mut Printer, def: &'static OpDef, r: crate::block::Region) {
    // An implicit terminator without operands may stay unwritten.
    let hide = def.implicit_terminator.is_some_and(|_| {
        r.blocks(p.ctx).iter().all(|b| {
            b.last_op(p.ctx)
                .is_some_and(|t| t.num_operands(p.ctx) == 0 && t.attrs(p.ctx).is_empty())
        })
    });
    p.region(r, true, !hide);
}

/// An attribute in the form its declaration gives it.
pub fn print_attr(p: &mut Printer, syntax: &AttrSyntax, a: Attr) {
    let ctx = p.ctx;
    match syntax {
        AttrSyntax::Full | AttrSyntax::Str | AttrSyntax::Unit => p.attr(a),
        AttrSyntax::Stripped { .. } => p.attr_params(a),
        AttrSyntax::Typed(_) => p.attr_without_type(a),
        AttrSyntax::Type => match a.as_type(ctx) {
            Some(t) => p.ty(t),
            None => p.attr(a),
        },
        AttrSyntax::SymbolName => match a.as_str_lossy(ctx) {
            Some(s) => p.symbol(&s),
            None => p.attr(a),
        },
        AttrSyntax::Enum(d) => match d.value(ctx, a).and_then(|v| d.keyword(v)) {
            Some(k) => p.write(&k),
            None => p.attr(a),
        },
        AttrSyntax::DenseArray(_) => {
            p.write("[");
            p.dense_array_elements(a);
            p.write("]");
        }
    }
}

impl Failed {
    /// For code that maps another failure to a parse failure already reported.
    pub fn reported<E>(_: E) -> Failed {
        Failed
    }
}
