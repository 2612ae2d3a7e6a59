//! Affine expressions, maps and sets, and the forms over SSA operands.

use super::{PResult, Parser, UnresolvedOperand};
use crate::affine::{AffineExpr, AffineMap, AffineOp, Constraint, IntegerSet};
use crate::text::token::TokenKind as T;

/// Dimensions that are given by number, at most.
const MAX_NUMBERED: u32 = 16;

/// The magnitude of the least number.
const MIN: &str = "9223372036854775808";

/// What names stand for in the expression being parsed.
enum Names<'a, 'n> {
    /// Declared dimensions and symbols, by name.
    Declared(&'n [(&'a str, AffineExpr)]),
    /// SSA operands, collected as they are met.
    Operands {
        dims: &'n mut Vec<UnresolvedOperand<'a>>,
        syms: &'n mut Vec<UnresolvedOperand<'a>>,
    },
    /// Dimensions by number, `d0`, and SSA operands, collected as they are met, as symbols.
    Numbered {
        rank: &'n mut u32,
        syms: &'n mut Vec<UnresolvedOperand<'a>>,
    },
}

impl<'a> Parser<'a> {
    /// `(d0, d1)[s0] -> (d0 + s0, d1)`.
    pub fn parse_map_body(&mut self) -> PResult<AffineMap> {
        self.nested(|p| {
            let (names, dims, syms) = p.parse_dims_and_symbols()?;
            p.expect_msg(T::Arrow, "expected '->' or ':'")?;
            p.map_results(&names, dims, syms)
        })
    }

    fn map_results(
        &mut self,
        names: &[(&'a str, AffineExpr)],
        dims: u32,
        syms: u32,
    ) -> PResult<AffineMap> {
        let mut results = Vec::new();
        self.parse_list_in(T::LParen, T::RParen, " in affine map range", |p| {
            results.push(p.parse_affine_expr_in(&mut Names::Declared(names))?);
            Ok(())
        })?;
        Ok(AffineMap::new(dims, syms, results))
    }

    /// `(d0)[s0] : (d0 - s0 >= 0, d0 == 4)`.
    pub(crate) fn parse_set_body(&mut self) -> PResult<IntegerSet> {
        self.nested(|p| {
            let (names, dims, syms) = p.parse_dims_and_symbols()?;
            p.expect_msg(T::Colon, "expected '->' or ':'")?;
            p.set_constraints(&names, dims, syms)
        })
    }

    fn set_constraints(
        &mut self,
        names: &[(&'a str, AffineExpr)],
        dims: u32,
        syms: u32,
    ) -> PResult<IntegerSet> {
        let mut constraints = Vec::new();
        self.parse_list_in(
            T::LParen,
            T::RParen,
            " in integer set constraint list",
            |p| {
                constraints.push(p.parse_affine_constraint(&mut Names::Declared(names))?);
                Ok(())
            },
        )?;
        if constraints.is_empty() {
            return Ok(IntegerSet::universe(dims, syms));
        }
        Ok(IntegerSet::new(dims, syms, constraints))
    }

    fn parse_affine_constraint(&mut self, names: &mut Names<'a, '_>) -> PResult<Constraint> {
        let lhs = self.parse_affine_expr_in(names)?;
        let is_eq = if self.eat(T::Equal) {
            self.expect_msg(T::Equal, "expected '=' after '='")?;
            Some(true)
        } else if self.eat(T::Greater) {
            self.expect_msg(T::Equal, "expected '=' after '>'")?;
            Some(false)
        } else if self.eat(T::Less) {
            self.expect_msg(T::Equal, "expected '=' after '<'")?;
            None
        } else {
            return Err(self.expected(
                "expected '== affine-expr' or '>= affine-expr' at end of affine constraint",
            ));
        };
        let rhs = self.parse_affine_expr_in(names)?;
        Ok(match is_eq {
            Some(is_eq) => Constraint {
                expr: lhs - rhs,
                is_eq,
            },
            None => Constraint {
                expr: rhs - lhs,
                is_eq: false,
            },
        })
    }

    #[allow(clippy::type_complexity)]
    fn parse_dims_and_symbols(&mut self) -> PResult<(Vec<(&'a str, AffineExpr)>, u32, u32)> {
        let mut names: Vec<(&'a str, AffineExpr)> = Vec::new();
        let mut add = |p: &mut Self, e: AffineExpr| {
            if !p.is_word() {
                return Err(p.expected("expected bare identifier"));
            }
            let t = p.advance();
            let name = p.text(t);
            if names.iter().any(|n| n.0 == name) {
                return Err(p.error(t.start, format!("redefinition of identifier '{name}'")));
            }
            names.push((name, e));
            Ok(())
        };
        let (mut dims, mut syms) = (0, 0);
        self.parse_list(T::LParen, T::RParen, |p| {
            dims += 1;
            add(p, AffineExpr::dim(dims - 1))
        })?;
        self.parse_optional_list(T::LSquare, T::RSquare, |p| {
            syms += 1;
            add(p, AffineExpr::symbol(syms - 1))
        })?;
        Ok((names, dims, syms))
    }

    // ---- expressions, by precedence ----

    fn parse_affine_expr_in(&mut self, names: &mut Names<'a, '_>) -> PResult<AffineExpr> {
        self.nested(|p| {
            let mut lhs = p.parse_affine_product(names, false)?;
            loop {
                let pos = p.pos();
                let op = if p.eat(T::Plus) {
                    AffineOp::Add
                } else if p.eat(T::Minus) {
                    let rhs = p.parse_affine_product(names, true)?;
                    lhs = p.affine_limit(pos, lhs - rhs)?;
                    continue;
                } else {
                    return Ok(lhs);
                };
                let rhs = p.parse_affine_product(names, true)?;
                lhs = p.affine_limit(pos, AffineExpr::binary(op, lhs, rhs))?;
            }
        })
    }

    /// Refuse expressions so deep that later passes could not walk them.
    fn affine_limit(&mut self, pos: u32, e: AffineExpr) -> PResult<AffineExpr> {
        if e.within_limits() {
            Ok(e)
        } else {
            Err(self.error(pos, "affine expression is too large"))
        }
    }

    fn parse_affine_product(
        &mut self,
        names: &mut Names<'a, '_>,
        has_lhs: bool,
    ) -> PResult<AffineExpr> {
        let mut lhs = self.parse_affine_operand(names, has_lhs)?;
        loop {
            let pos = self.pos();
            let op = if self.eat(T::Star) {
                AffineOp::Mul
            } else if self.eat_keyword("floordiv") {
                AffineOp::FloorDiv
            } else if self.eat_keyword("ceildiv") {
                AffineOp::CeilDiv
            } else if self.eat_keyword("mod") {
                AffineOp::Mod
            } else {
                return Ok(lhs);
            };
            let rhs = self.parse_affine_operand(names, true)?;
            match op {
                AffineOp::Mul => {
                    if !lhs.is_symbolic_or_constant() && !rhs.is_symbolic_or_constant() {
                        return Err(self.error(pos, "non-affine expression: at least one of the multiply operands has to be either a constant or symbolic"));
                    }
                }
                _ => {
                    if !rhs.is_symbolic_or_constant() {
                        let what = if op == AffineOp::Mod {
                            "mod"
                        } else if op == AffineOp::FloorDiv {
                            "floordiv"
                        } else {
                            "ceildiv"
                        };
                        return Err(self.error(pos, format!("non-affine expression: right operand of {what} has to be either a constant or symbolic")));
                    }
                }
            }
            lhs = self.affine_limit(pos, AffineExpr::binary(op, lhs, rhs))?;
        }
    }

    /// `has_lhs`: an operator was read whose right operand this is.
    fn parse_affine_operand(
        &mut self,
        names: &mut Names<'a, '_>,
        has_lhs: bool,
    ) -> PResult<AffineExpr> {
        match self.kind() {
            T::Minus => {
                self.advance();
                let pos = self.pos();
                // Its magnitude is no number of 64 bits.
                if self.at(T::Integer) && self.spelling() == MIN {
                    self.advance();
                    return Ok(AffineExpr::constant(i64::MIN));
                }
                let e = self.nested(|p| p.parse_affine_operand(names, false))?;
                self.affine_limit(pos, -e)
            }
            T::LParen => {
                self.advance();
                if self.at(T::RParen) {
                    return Err(self.error_here("no expression inside parentheses"));
                }
                let e = self.parse_affine_expr_in(names)?;
                self.expect(T::RParen)?;
                Ok(e)
            }
            T::Integer => {
                let v = self.parse_i64_or("constant too large for index")?;
                Ok(AffineExpr::constant(v))
            }
            T::PercentIdentifier => match names {
                Names::Operands { .. } => {
                    let o = self.parse_operand()?;
                    Ok(operand_expr(names, o, false))
                }
                Names::Numbered { .. } => {
                    let o = self.parse_operand()?;
                    Ok(operand_expr(names, o, true))
                }
                Names::Declared(_) => Err(self.expected("expected affine expression")),
            },
            T::BareIdentifier
                if self.at_keyword("symbol") && matches!(names, Names::Operands { .. }) =>
            {
                self.advance();
                self.expect_msg(T::LParen, "expected '(' at start of SSA symbol")?;
                let o = self.parse_operand()?;
                self.expect_msg(T::RParen, "expected ')' at end of SSA symbol")?;
                Ok(operand_expr(names, o, true))
            }
            T::BareIdentifier | T::IntType => {
                if let Names::Declared(d) = names
                    && let Some(e) = d.iter().find(|n| n.0 == self.spelling())
                {
                    let e = e.1.clone();
                    self.advance();
                    return Ok(e);
                }
                if let Names::Numbered { rank, .. } = names
                    && let Some(d) = self.spelling().strip_prefix('d')
                    && let Ok(d) = d.parse::<u32>()
                    && d < MAX_NUMBERED
                {
                    **rank = (**rank).max(d + 1);
                    self.advance();
                    return Ok(AffineExpr::dim(d));
                }
                Err(self.error_here("use of undeclared identifier"))
            }
            T::Plus | T::Star => Err(self.error_here("missing left operand of binary operator")),
            _ if has_lhs => Err(self.error_here("missing right operand of binary op")),
            _ => Err(self.expected("expected affine expression")),
        }
    }

    fn parse_i64_or(&mut self, message: &str) -> PResult<i64> {
        let t = self.advance();
        match crate::text::literal::integer_u64(self.text(t)).and_then(|v| i64::try_from(v).ok()) {
            Some(v) => Ok(v),
            None => Err(self.error(t.start, message)),
        }
    }

    // ---- forms over SSA operands ----

    /// `[%i + 1, symbol(%n) * 2]`: a map and its operands, dimensions first. The
    /// brackets are part of it.
    pub fn parse_map_of_operands(
        &mut self,
        open: T,
        close: T,
    ) -> PResult<(AffineMap, Vec<UnresolvedOperand<'a>>)> {
        let (mut dims, mut syms, mut results) = (Vec::new(), Vec::new(), Vec::new());
        self.parse_list(open, close, |p| {
            let mut names = Names::Operands {
                dims: &mut dims,
                syms: &mut syms,
            };
            results.push(p.parse_affine_expr_in(&mut names)?);
            Ok(())
        })?;
        let map = AffineMap::new(dims.len() as u32, syms.len() as u32, results);
        dims.extend(syms);
        Ok((map, dims))
    }

    /// `[%i + d0, d1]`: a map of numbered dimensions whose symbols are SSA operands. The
    /// brackets are part of it. The map has as many dimensions as are named.
    pub fn parse_map_of_numbered(
        &mut self,
        open: T,
        close: T,
    ) -> PResult<(AffineMap, Vec<UnresolvedOperand<'a>>)> {
        let (mut rank, mut syms, mut results) = (0, Vec::new(), Vec::new());
        self.parse_list(open, close, |p| {
            let mut names = Names::Numbered {
                rank: &mut rank,
                syms: &mut syms,
            };
            results.push(p.parse_affine_expr_in(&mut names)?);
            Ok(())
        })?;
        Ok((AffineMap::new(rank, syms.len() as u32, results), syms))
    }

    /// One expression over SSA operands, sharing operands already collected.
    pub fn parse_expr_of_operands(
        &mut self,
        dims: &mut Vec<UnresolvedOperand<'a>>,
        syms: &mut Vec<UnresolvedOperand<'a>>,
    ) -> PResult<AffineExpr> {
        self.parse_affine_expr_in(&mut Names::Operands { dims, syms })
    }

    /// `(%a, %b)[%n]`: operands for the dimensions and symbols of a map or set.
    #[allow(clippy::type_complexity)]
    pub fn parse_dim_and_symbol_operands(
        &mut self,
    ) -> PResult<(Vec<UnresolvedOperand<'a>>, Vec<UnresolvedOperand<'a>>)> {
        let dims = self.parse_delimited_operands(T::LParen, T::RParen)?;
        let mut syms = Vec::new();
        self.parse_optional_list(T::LSquare, T::RSquare, |p| {
            syms.push(p.parse_operand()?);
            Ok(())
        })?;
        Ok((dims, syms))
    }
}

/// The dimension or symbol that an operand is, new or met before.
fn operand_expr<'a>(
    names: &mut Names<'a, '_>,
    o: UnresolvedOperand<'a>,
    symbol: bool,
) -> AffineExpr {
    let list: &mut Vec<UnresolvedOperand<'a>> = match names {
        Names::Operands { syms, .. } | Names::Numbered { syms, .. } if symbol => syms,
        Names::Operands { dims, .. } => dims,
        _ => return AffineExpr::constant(0),
    };
    let same = |x: &UnresolvedOperand| x.name == o.name && x.number == o.number;
    let i = list.iter().position(same).unwrap_or_else(|| {
        list.push(o);
        list.len() - 1
    }) as u32;
    if symbol {
        AffineExpr::symbol(i)
    } else {
        AffineExpr::dim(i)
    }
}
