//! Relations to text.

use std::fmt;

use crate::conjunct::{Conjunct, Row};
use crate::int::Int;
use crate::relation::Relation;

use super::Names;

/// Displays a relation with names of its own.
pub struct Named<'a> {
    relation: &'a Relation,
    names: &'a Names,
}

impl Relation {
    /// This relation with these names for parameters and dimensions.
    pub fn named<'a>(&'a self, names: &'a Names) -> Named<'a> {
        Named {
            relation: self,
            names,
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.named(&Names::default()).fmt(f)
    }
}

impl fmt::Display for Conjunct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Relation::from(self.clone()).fmt(f)
    }
}

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = self.relation.space;
        let columns = self.columns();
        if space.params > 0 {
            write!(f, "[{}] -> ", columns[..space.params].join(", "))?;
        }
        let mut tuple = format!("[{}]", columns[space.output_columns()].join(", "));
        if space.inputs > 0 {
            tuple = format!("[{}] -> {tuple}", columns[space.input_columns()].join(", "));
        }
        write!(f, "{{ {tuple}")?;
        let pieces = self.relation.pieces();
        match pieces {
            [] => write!(f, " : false")?,
            [only] if is_universe(only) => {}
            _ => {
                for (at, piece) in pieces.iter().enumerate() {
                    f.write_str(if at == 0 { " : " } else { " or " })?;
                    write_piece(f, piece, &columns, pieces.len() > 1)?;
                }
            }
        }
        f.write_str(" }")
    }
}

impl Named<'_> {
    /// A name for each column of the space, no two alike.
    fn columns(&self) -> Vec<String> {
        let space = self.relation.space;
        let mut result: Vec<String> = Vec::with_capacity(space.columns());
        let dims = if space.inputs > 0 { "o" } else { "i" };
        for (names, count, letter) in [
            (&self.names.params, space.params, "p"),
            (&self.names.inputs, space.inputs, "i"),
            (&self.names.outputs, space.outputs, dims),
        ] {
            for at in 0..count {
                let mut name = match names.get(at) {
                    Some(name) if !name.is_empty() => name.clone(),
                    _ => format!("{letter}{at}"),
                };
                while result.contains(&name) {
                    name.push('\'');
                }
                result.push(name);
            }
        }
        result
    }
}

fn is_universe(piece: &Conjunct) -> bool {
    piece.equalities.is_empty() && piece.inequalities.is_empty()
}

fn write_piece(
    f: &mut fmt::Formatter<'_>,
    piece: &Conjunct,
    columns: &[String],
    parenthesised: bool,
) -> fmt::Result {
    if is_universe(piece) {
        return f.write_str("true");
    }
    let mut names = columns.to_vec();
    for at in 0..piece.locals {
        let mut name = format!("e{at}");
        while names.contains(&name) {
            name.push('\'');
        }
        names.push(name);
    }
    if parenthesised {
        f.write_str("(")?;
    }
    if piece.locals > 0 {
        write!(f, "exists ({} : ", names[columns.len()..].join(", "))?;
    }
    let rows = piece
        .equalities
        .iter()
        .map(|row| (row, "="))
        .chain(piece.inequalities.iter().map(|row| (row, ">=")));
    for (at, (row, sign)) in rows.enumerate() {
        if at > 0 {
            f.write_str(" and ")?;
        }
        write_constraint(f, row, sign, &names)?;
    }
    if piece.locals > 0 {
        f.write_str(")")?;
    }
    if parenthesised {
        f.write_str(")")?;
    }
    Ok(())
}

/// What is added on the left, what is subtracted on the right.
fn write_constraint(
    f: &mut fmt::Formatter<'_>,
    row: &Row,
    sign: &str,
    names: &[String],
) -> fmt::Result {
    let sum = |wanted: fn(&Int) -> bool| {
        let mut terms = Vec::new();
        for (at, entry) in row.iter().enumerate().filter(|(_, entry)| wanted(entry)) {
            let size = entry.abs();
            terms.push(match names.get(at) {
                None => size.to_string(),
                Some(name) if size.is_one() => name.clone(),
                Some(name) => format!("{size}{name}"),
            });
        }
        if terms.is_empty() {
            "0".to_owned()
        } else {
            terms.join(" + ")
        }
    };
    write!(
        f,
        "{} {sign} {}",
        sum(Int::is_positive),
        sum(Int::is_negative)
    )
}
