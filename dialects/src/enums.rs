//! Enumerations that attributes of a dialect hold: `#vector.kind<add>`, `#gpu<dim x>`.

use terrace_ir::Attr;
use terrace_ir::constraint::{EnumDef, EnumStorage};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;

/// An enumeration of `dialect`, of which an attribute with this mnemonic holds one case.
pub(crate) const fn of(
    dialect: &'static str,
    name: &'static str,
    mnemonic: &'static str,
    cases: &'static [(&'static str, i64)],
) -> EnumDef {
    EnumDef {
        name,
        cases,
        bits: false,
        separator: "",
        storage: EnumStorage::Dialect { dialect, mnemonic },
    }
}

/// The value of a case, by its keyword.
pub(crate) fn keyword(p: &mut OpParser, d: &EnumDef) -> PResult<i64> {
    let pos = p.pos();
    let value = p.parse_optional_keyword().and_then(|w| d.parse(w));
    value.ok_or_else(|| {
        let words: Vec<&str> = d.cases.iter().map(|c| c.0).collect();
        p.error(
            pos,
            format!("expected {} to be one of: {}", d.name, words.join(", ")),
        )
    })
}

/// The keyword of the case that an attribute holds.
pub(crate) fn value_of(p: &Printer, d: &EnumDef, params: &[Attr]) -> String {
    params
        .first()
        .and_then(|a| a.as_i64(p.ctx))
        .and_then(|v| d.keyword(v))
        .unwrap_or_default()
}

/// `case` behind the mnemonic.
pub(crate) fn parse_bare(p: &mut OpParser, d: &EnumDef) -> PResult<Vec<Attr>> {
    let v = keyword(p, d)?;
    Ok(vec![p.ctx.i64_attr(v)])
}

/// `<case>` behind the mnemonic.
pub(crate) fn parse_angle(p: &mut OpParser, d: &EnumDef) -> PResult<Vec<Attr>> {
    p.expect(T::Less)?;
    let v = parse_bare(p, d)?;
    p.expect(T::Greater)?;
    Ok(v)
}

/// The opposite of [`parse_angle`].
pub(crate) fn print_angle(p: &mut Printer, d: &EnumDef, params: &[Attr]) {
    let case = value_of(p, d, params);
    p.fmt(format_args!("<{case}>"));
}
