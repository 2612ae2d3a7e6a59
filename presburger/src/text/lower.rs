//! A syntax tree to a relation.
//!
//! A formula inside quantifiers is a relation of the space with one more dimension for
//! each quantified variable; a quantifier projects them out.

use crate::conjunct::Conjunct;
use crate::int::Int;
use crate::relation::Relation;
use crate::space::Space;

use super::syntax::{Comparison, Element, Expr, Formula, Piece, Text, Tuple};
use super::{Fault, Names};

/// How many conjuncts the disjunctive form of a text may have.
const MAX_PIECES: usize = 10_000;

pub(super) fn lower(text: Text) -> Result<(Relation, Names), Fault> {
    let params = text.params.len();
    let mut names = Names {
        params: text.params.clone(),
        ..Names::default()
    };
    let mut relation: Option<(Relation, Shape)> = None;
    for piece in text.pieces {
        let shape = Shape::of(&piece);
        let space = Space::map(params, shape.inputs.unwrap_or(0), shape.outputs);
        let (lowered, piece_names) = lower_piece(&piece, space, &text.params)?;
        relation = Some(match relation {
            None => {
                names = piece_names;
                (lowered, shape)
            }
            Some((before, before_shape)) => {
                if before_shape != shape {
                    return Err(Fault::new(
                        piece.offset,
                        format!(
                            "this piece is {}, the first is {}",
                            shape.words(),
                            before_shape.words()
                        ),
                    ));
                }
                (before.union(&lowered), shape)
            }
        });
    }
    let relation = relation.map_or_else(
        || Relation::empty(Space::set(params, 0)),
        |(relation, _)| relation,
    );
    Ok((relation, names))
}

/// Pieces of one relation must agree in this.
#[derive(Debug, PartialEq, Eq)]
struct Shape {
    input_name: Option<String>,
    inputs: Option<usize>,
    output_name: Option<String>,
    outputs: usize,
}

impl Shape {
    fn of(piece: &Piece) -> Shape {
        Shape {
            input_name: piece.inputs.as_ref().and_then(|t| t.name.clone()),
            inputs: piece.inputs.as_ref().map(|t| t.elements.len()),
            output_name: piece.outputs.name.clone(),
            outputs: piece.outputs.elements.len(),
        }
    }

    fn words(&self) -> String {
        let tuple = |name: &Option<String>, dims| {
            format!("{}[{dims} dimensions]", name.as_deref().unwrap_or(""))
        };
        let outputs = tuple(&self.output_name, self.outputs);
        match self.inputs {
            Some(inputs) => format!("{} -> {outputs}", tuple(&self.input_name, inputs)),
            None => outputs,
        }
    }
}

/// The names of the columns, in their order. An element without a name has an empty
/// one, which no text can refer to.
type Scope = Vec<String>;

fn lower_piece(piece: &Piece, space: Space, params: &[String]) -> Result<(Relation, Names), Fault> {
    let mut scope: Scope = params.to_vec();
    let mut given = Vec::new();
    let no_inputs = Tuple::default();
    for tuple in [piece.inputs.as_ref().unwrap_or(&no_inputs), &piece.outputs] {
        for element in &tuple.elements {
            declare(element, &mut scope, &mut given)?;
        }
    }
    let names = Names {
        params: params.to_vec(),
        inputs: scope[space.input_columns()].to_vec(),
        outputs: scope[space.output_columns()].to_vec(),
    };
    let mut relation = Relation::universe(space);
    for (column, value) in given {
        let mut constraint = Conjunct::universe(space);
        let mut row = linear(value, &scope, &mut constraint)?;
        row.add(&Linear::column(column), &Int::MINUS_ONE);
        constraint.add_equality(&row.coefficients, row.constant);
        relation = relation.intersect(&Relation::from(constraint));
    }
    let condition = formula(&piece.condition, true, space, &mut scope)?;
    Ok((relation.intersect(&condition), names))
}

fn declare<'a>(
    element: &'a Element,
    scope: &mut Scope,
    given: &mut Vec<(usize, &'a Expr)>,
) -> Result<(), Fault> {
    let column = scope.len();
    if let Some(name) = &element.name {
        if scope.contains(name) {
            return Err(Fault::new(
                element.offset,
                format!("'{name}' is there already"),
            ));
        }
        scope.push(name.clone());
    } else if let Expr::Name(_, name) = &element.value
        && !scope.contains(name)
    {
        scope.push(name.clone());
        return Ok(());
    } else {
        // An expression, or a name again: a dimension that is equal to it.
        scope.push(String::new());
    }
    given.push((column, &element.value));
    Ok(())
}

/// The points of a formula, or where `positive` is false those of its negation.
fn formula(
    condition: &Formula,
    positive: bool,
    space: Space,
    scope: &mut Scope,
) -> Result<Relation, Fault> {
    match condition {
        Formula::True | Formula::False => Ok(if positive == matches!(condition, Formula::True) {
            Relation::universe(space)
        } else {
            Relation::empty(space)
        }),
        Formula::And(parts) | Formula::Or(parts) => {
            if positive == matches!(condition, Formula::And(_)) {
                let mut all = Relation::universe(space);
                for part in parts {
                    let one = formula(part, positive, space, scope)?;
                    limit(all.pieces.len().saturating_mul(one.pieces.len()))?;
                    all = all.intersect(&one);
                }
                Ok(all)
            } else {
                let mut any = Relation::empty(space);
                for part in parts {
                    let one = formula(part, positive, space, scope)?;
                    limit(any.pieces.len() + one.pieces.len())?;
                    any = any.union(&one);
                }
                Ok(any)
            }
        }
        Formula::Not(inner) => formula(inner, !positive, space, scope),
        Formula::Exists(offset, names, inner) => {
            let columns = space.columns();
            let inside = Space {
                outputs: space.outputs + names.len(),
                ..space
            };
            scope.extend(names.iter().cloned());
            let relation = formula(inner, true, inside, scope);
            scope.truncate(columns);
            let relation = relation?.project_out(columns..inside.columns());
            if positive {
                return Ok(relation);
            }
            relation.complement().map_err(|unknown| {
                Fault::new(*offset, format!("the negation of 'exists': {unknown}"))
            })
        }
        Formula::Compare(left, comparison, right) => {
            // Negated, one pair that does not hold is enough.
            let mut all = Relation::universe(space);
            let mut any = Relation::empty(space);
            for l in left {
                for r in right {
                    let one = compare(l, *comparison, r, positive, space, scope)?;
                    if positive {
                        limit(all.pieces.len().saturating_mul(one.pieces.len()))?;
                        all = all.intersect(&one);
                    } else {
                        any = any.union(&one);
                    }
                }
            }
            Ok(if positive { all } else { any })
        }
    }
}

fn limit(pieces: usize) -> Result<(), Fault> {
    if pieces > MAX_PIECES {
        return Err(Fault::new(
            0,
            format!("more than {MAX_PIECES} conjunctions in disjunctive form"),
        ));
    }
    Ok(())
}

fn compare(
    left: &Expr,
    comparison: Comparison,
    right: &Expr,
    positive: bool,
    space: Space,
    scope: &Scope,
) -> Result<Relation, Fault> {
    let mut base = Conjunct::universe(space);
    // right - left
    let mut difference = linear(right, scope, &mut base)?;
    difference.add(&linear(left, scope, &mut base)?, &Int::MINUS_ONE);
    let at_least = |sign: i64, constant: i64| {
        let mut piece = base.clone();
        let row = difference.times(&Int::new(sign));
        piece.add_inequality(&row.coefficients, &row.constant + &Int::new(constant));
        piece
    };
    let equal = || {
        let mut piece = base.clone();
        piece.add_equality(&difference.coefficients, difference.constant.clone());
        piece
    };
    use Comparison::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    let pieces = match (comparison, positive) {
        (Equal, true) | (NotEqual, false) => vec![equal()],
        (NotEqual, true) | (Equal, false) => vec![at_least(1, -1), at_least(-1, -1)],
        (Less, true) | (GreaterEqual, false) => vec![at_least(1, -1)],
        (LessEqual, true) | (Greater, false) => vec![at_least(1, 0)],
        (Greater, true) | (LessEqual, false) => vec![at_least(-1, -1)],
        (GreaterEqual, true) | (Less, false) => vec![at_least(-1, 0)],
    };
    let mut result = Relation::empty(space);
    for piece in pieces {
        result.push(piece);
    }
    Ok(result)
}

/// An affine form over the columns of a conjunct that may yet get more locals.
struct Linear {
    coefficients: Vec<Int>,
    constant: Int,
}

impl Linear {
    fn constant(constant: Int) -> Linear {
        Linear {
            coefficients: Vec::new(),
            constant,
        }
    }

    fn column(column: usize) -> Linear {
        let mut coefficients = vec![Int::ZERO; column + 1];
        coefficients[column] = Int::ONE;
        Linear {
            coefficients,
            constant: Int::ZERO,
        }
    }

    fn add(&mut self, other: &Linear, factor: &Int) {
        if self.coefficients.len() < other.coefficients.len() {
            self.coefficients
                .resize(other.coefficients.len(), Int::ZERO);
        }
        for (entry, by) in self.coefficients.iter_mut().zip(&other.coefficients) {
            entry.add_product(by, factor);
        }
        self.constant.add_product(&other.constant, factor);
    }

    fn times(&self, factor: &Int) -> Linear {
        let mut product = Linear::constant(Int::ZERO);
        product.add(self, factor);
        product
    }

    fn as_constant(&self) -> Option<&Int> {
        self.coefficients
            .iter()
            .all(Int::is_zero)
            .then_some(&self.constant)
    }
}

/// The affine form of an expression. Its divisions become locals of the conjunct.
fn linear(expr: &Expr, scope: &Scope, conjunct: &mut Conjunct) -> Result<Linear, Fault> {
    match expr {
        Expr::Number(number) => Ok(Linear::constant(number.clone())),
        Expr::Name(offset, name) => match scope.iter().rposition(|n| n == name) {
            Some(column) => Ok(Linear::column(column)),
            None => Err(Fault::new(
                *offset,
                format!("'{name}' is no parameter, dimension or quantified variable here"),
            )),
        },
        Expr::Negative(inner) => Ok(linear(inner, scope, conjunct)?.times(&Int::MINUS_ONE)),
        Expr::Sum(terms) => {
            let mut sum = Linear::constant(Int::ZERO);
            for term in terms {
                sum.add(&linear(term, scope, conjunct)?, &Int::ONE);
            }
            Ok(sum)
        }
        Expr::Product(offset, left, right) => {
            let left = linear(left, scope, conjunct)?;
            let right = linear(right, scope, conjunct)?;
            if let Some(factor) = left.as_constant() {
                return Ok(right.times(factor));
            }
            match right.as_constant() {
                Some(factor) => Ok(left.times(factor)),
                None => Err(Fault::new(
                    *offset,
                    "a product of two variables is not affine",
                )),
            }
        }
        Expr::FloorDiv(offset, numerator, divisor) => {
            let numerator = linear(numerator, scope, conjunct)?;
            let divisor = constant_divisor(*offset, divisor, scope, conjunct)?;
            Ok(floor(numerator, &divisor, conjunct))
        }
        Expr::CeilDiv(offset, numerator, divisor) => {
            let mut numerator = linear(numerator, scope, conjunct)?;
            let divisor = constant_divisor(*offset, divisor, scope, conjunct)?;
            numerator.constant += &(&divisor - &Int::ONE);
            Ok(floor(numerator, &divisor, conjunct))
        }
        Expr::Mod(offset, left, modulus) => {
            let left = linear(left, scope, conjunct)?;
            let modulus = constant_divisor(*offset, modulus, scope, conjunct)?;
            let mut remainder = left.times(&Int::ONE);
            remainder.add(&floor(left, &modulus, conjunct), &-&modulus);
            Ok(remainder)
        }
    }
}

fn constant_divisor(
    offset: usize,
    divisor: &Expr,
    scope: &Scope,
    conjunct: &mut Conjunct,
) -> Result<Int, Fault> {
    match linear(divisor, scope, conjunct)?.as_constant() {
        Some(divisor) if divisor.is_positive() => Ok(divisor.clone()),
        Some(divisor) => Err(Fault::new(
            offset,
            format!("the divisor must be positive, found {divisor}"),
        )),
        None => Err(Fault::new(offset, "the divisor must be a constant")),
    }
}

fn floor(numerator: Linear, divisor: &Int, conjunct: &mut Conjunct) -> Linear {
    if divisor.is_one() {
        return numerator;
    }
    let mut row = numerator.coefficients;
    row.resize(conjunct.row_len() - 1, Int::ZERO);
    row.push(numerator.constant);
    Linear::column(conjunct.add_div(&row, divisor))
}
