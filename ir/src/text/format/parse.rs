//! An op read by its format.

use super::resolve::finish;
use super::{Anchor, Element, TypeOf};
use crate::builder::OpState;
use crate::constraint::{Arity, AttrSyntax};
use crate::opdef::{OpDef, traits};
use crate::text::parser::{Failed, PResult, Parser, UnresolvedOperand};
use crate::text::token::TokenKind as T;
use crate::types::{DYNAMIC, Type};

/// What has been read of an op so far.
pub(super) struct Reader<'a> {
    pub(super) operands: Vec<Vec<UnresolvedOperand<'a>>>,
    pub(super) operand_types: Vec<Option<Vec<Type>>>,
    pub(super) result_types: Vec<Option<Vec<Type>>>,
    pub(super) all_operands: Option<Vec<UnresolvedOperand<'a>>>,
    pub(super) all_operand_types: Option<Vec<Type>>,
    pub(super) all_result_types: Option<Vec<Type>>,
    pub(super) regions: Vec<Option<crate::builder::RegionHolder>>,
    pub(super) successors: Vec<Vec<crate::block::Block>>,
    pub(super) pos: u32,
}

pub(in crate::text) fn parse(
    p: &mut Parser,
    def: &'static OpDef,
    state: &mut OpState,
) -> PResult<()> {
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
            let arity = def.operands[*i].constraint.arity;
            r.operands[*i] = match arity {
                Arity::One => vec![p.parse_operand()?],
                _ if p.at_results_of_next_op() => Vec::new(),
                Arity::Optional => p.parse_optional_operand()?.into_iter().collect(),
                Arity::Variadic => p.parse_operand_list()?,
            };
            Ok(())
        }
        Element::AllOperands => {
            r.all_operands = Some(if p.at_results_of_next_op() {
                Vec::new()
            } else {
                p.parse_operand_list()?
            });
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
            Element::Operand(_) | Element::AllOperands => {
                p.at(T::PercentIdentifier) && !p.at_results_of_next_op()
            }
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

impl Failed {
    /// For code that maps another failure to a parse failure already reported.
    pub fn reported<E>(_: E) -> Failed {
        Failed
    }
}
