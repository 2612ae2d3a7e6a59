//! A conjunction being solved: its rows, and the steps that were taken on it.

use crate::conjunct::Conjunct;
use crate::num::{Budget, Num, Stop};
use crate::solve::rows::Rows;
use crate::solve::trail::Trail;

/// Linear constraints over `vars` integer variables, which become fewer as they are
/// eliminated: a variable that is gone has the coefficient 0 everywhere.
///
/// All operations keep what is asked of it: whether there is an integer point. With a
/// trail the point itself can be found again.
#[derive(Clone, Debug)]
pub(crate) struct System<N> {
    pub inequalities: Rows<N>,
    /// Equalities that are still to be eliminated.
    pub equalities: Rows<N>,
    /// A form whose values are asked for, if any: it follows the changes of variables.
    pub objective: Rows<N>,
    /// What was eliminated, where a point is wanted.
    pub trail: Option<Trail<N>>,
    /// For each inequality a linear hash of its coefficients.
    digests: Vec<u64>,
    scratch: Vec<N>,
}

impl<N: Num> System<N> {
    pub fn new(vars: usize, trail: bool) -> System<N> {
        System {
            inequalities: Rows::new(vars + 1),
            equalities: Rows::new(vars + 1),
            objective: Rows::new(vars + 1),
            trail: trail.then(Trail::default),
            digests: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// All constraints of the conjunct, over all its columns.
    pub fn load(conjunct: &Conjunct, trail: bool) -> Result<System<N>, Stop> {
        let width = conjunct.row_len();
        let mut system = System::new(width - 1, trail);
        system.inequalities = load_rows(width, conjunct.inequalities())?;
        system.equalities = load_rows(width, conjunct.equalities())?;
        Ok(system)
    }

    pub fn vars(&self) -> usize {
        self.inequalities.width() - 1
    }

    /// Eliminates all equalities, given and implied by opposite inequalities, and
    /// brings the inequalities into normal form: coefficients without a common
    /// divisor, constants as tight as the integers allow, no two rows parallel. Says
    /// false where that shows that there is no integer point.
    pub fn reduce(&mut self, budget: &mut Budget) -> Result<bool, Stop> {
        loop {
            while !self.equalities.is_empty() {
                if !self.eliminate_equality(budget)? {
                    return Ok(false);
                }
            }
            if !self.settle(budget)? {
                return Ok(false);
            }
            if self.equalities.is_empty() {
                return Ok(true);
            }
        }
    }

    /// Normalises and compares the inequalities; new equalities come to the others.
    /// False where there is no point.
    pub fn settle(&mut self, budget: &mut Budget) -> Result<bool, Stop> {
        budget.spend(self.inequalities.len())?;
        self.digests.clear();
        let mut at = 0;
        'rows: while at < self.inequalities.len() {
            match normalise_inequality(self.inequalities.row_mut(at))? {
                Normal::Never => return Ok(false),
                Normal::Always => {
                    self.inequalities.swap_remove(at);
                    continue;
                }
                Normal::Row(digest) => {
                    let opposite = digest.wrapping_neg();
                    for other in 0..at {
                        let seen = self.digests[other];
                        if seen != digest && seen != opposite {
                            continue;
                        }
                        match compare(self.inequalities.row(other), self.inequalities.row(at))? {
                            Pair::Apart => {}
                            Pair::Parallel => {
                                let constant = self.vars();
                                let new = self.inequalities.row(at)[constant].clone();
                                let old = &mut self.inequalities.row_mut(other)[constant];
                                if new < *old {
                                    *old = new;
                                    // Where the tightened row meets its opposite.
                                    if let Some(clash) = self.meet_opposite(other)? {
                                        if clash == Pair::Empty {
                                            return Ok(false);
                                        }
                                        self.becomes_equality(other);
                                    }
                                }
                                self.inequalities.swap_remove(at);
                                continue 'rows;
                            }
                            Pair::Empty => return Ok(false),
                            Pair::Equality => {
                                self.becomes_equality(other);
                                self.inequalities.swap_remove(at);
                                continue 'rows;
                            }
                        }
                    }
                    self.digests.push(digest);
                    at += 1;
                }
            }
        }
        Ok(true)
    }

    /// Moves inequality `at` to the equalities; a row of zeros stays behind.
    fn becomes_equality(&mut self, at: usize) {
        let row = self.inequalities.row_mut(at);
        self.equalities.push(row);
        row.fill(N::zero());
        self.digests[at] = 0;
    }

    /// How row `at` stands to an opposite row before the end of the digests.
    fn meet_opposite(&self, at: usize) -> Result<Option<Pair>, Stop> {
        let opposite = self.digests[at].wrapping_neg();
        for other in 0..self.digests.len() {
            if other != at && self.digests[other] == opposite {
                let pair = compare(self.inequalities.row(other), self.inequalities.row(at))?;
                if pair == Pair::Empty || pair == Pair::Equality {
                    return Ok(Some(pair));
                }
            }
        }
        Ok(None)
    }

    /// Takes one equality and a variable with it; false where it has no solution.
    ///
    /// A coefficient of 1 or -1 gives the variable at once. Otherwise variables are
    /// replaced by combinations of variables, invertibly over the integers, as Euclid's
    /// algorithm on the coefficients says, until there is one (Hermite's normal form of
    /// one row).
    fn eliminate_equality(&mut self, budget: &mut Budget) -> Result<bool, Stop> {
        let Some(at) = self.pick_equality()? else {
            return Ok(false);
        };
        let vars = self.vars();
        let mut row = std::mem::take(&mut self.scratch);
        row.clear();
        row.extend_from_slice(self.equalities.row(at));
        self.equalities.swap_remove(at);
        loop {
            let Some(var) = smallest(&row[..vars])? else {
                self.scratch = row;
                return Ok(true);
            };
            if row[var].is_unit() {
                self.substitute(var, &row, budget)?;
                break;
            }
            self.shear(var, &mut row, budget)?;
        }
        self.scratch = row;
        Ok(true)
    }

    /// Divides equalities by what divides them; false where one has no solution.
    /// Those without a variable are dropped.
    pub fn normalise_equalities(&mut self) -> Result<bool, Stop> {
        let mut at = 0;
        while at < self.equalities.len() {
            let row = self.equalities.row_mut(at);
            if !normalise_equality(row)? {
                return Ok(false);
            }
            if row.iter().all(Num::is_zero) {
                self.equalities.swap_remove(at);
            } else {
                at += 1;
            }
        }
        // Those that opposite inequalities left behind.
        at = 0;
        while at < self.inequalities.len() {
            if self.inequalities.row(at).iter().all(Num::is_zero) {
                self.inequalities.swap_remove(at);
            } else {
                at += 1;
            }
        }
        Ok(true)
    }

    /// Takes `-var` as the new `var`. Only without a trail, which does not know it.
    pub fn negate_variable(&mut self, var: usize) -> Result<(), Stop> {
        debug_assert!(self.trail.is_none());
        let all = self
            .inequalities
            .iter_mut()
            .chain(self.equalities.iter_mut())
            .chain(self.objective.iter_mut());
        for row in all {
            row[var] = row[var].neg()?;
        }
        Ok(())
    }

    /// An equality with a unit coefficient if there is one; none where one of them has
    /// no solution. Equalities without a variable are dropped on the way.
    fn pick_equality(&mut self) -> Result<Option<usize>, Stop> {
        let mut best = None;
        for at in 0..self.equalities.len() {
            let row = self.equalities.row_mut(at);
            if !normalise_equality(row)? {
                return Ok(None);
            }
            let vars = row.len() - 1;
            if best.is_none() && row[..vars].iter().any(Num::is_unit) {
                best = Some(at);
            }
        }
        Ok(Some(best.unwrap_or(0)))
    }

    /// Replaces `var`, whose coefficient in `equality` is 1 or -1, everywhere.
    pub fn substitute(
        &mut self,
        var: usize,
        equality: &[N],
        budget: &mut Budget,
    ) -> Result<(), Stop> {
        budget.spend(1 + self.inequalities.len() + self.equalities.len())?;
        let sign = &equality[var];
        let all = self
            .inequalities
            .iter_mut()
            .chain(self.equalities.iter_mut())
            .chain(self.objective.iter_mut());
        for row in all {
            if row[var].is_zero() {
                continue;
            }
            let factor = row[var].mul(sign)?.neg()?;
            for (entry, coefficient) in row.iter_mut().zip(equality) {
                entry.add_product(&factor, coefficient)?;
            }
        }
        if let Some(trail) = &mut self.trail {
            trail.equal(var, equality);
        }
        Ok(())
    }

    /// Makes the other coefficients of `equality` smaller than that of `var`, with
    /// `var + sum of q_i x_i` as the new `var`.
    fn shear(&mut self, var: usize, equality: &mut [N], budget: &mut Budget) -> Result<(), Stop> {
        let vars = self.vars();
        let quotients = quotients(&equality[..vars], var)?;
        self.replace(var, quotients, Some(equality), budget)
    }

    /// Takes `var + sum of q_i x_i` as the new `var`, in all rows and in one more.
    fn replace(
        &mut self,
        var: usize,
        quotients: Vec<N>,
        also: Option<&mut [N]>,
        budget: &mut Budget,
    ) -> Result<(), Stop> {
        budget.spend(1 + self.inequalities.len() + self.equalities.len())?;
        let all = self
            .inequalities
            .iter_mut()
            .chain(self.equalities.iter_mut())
            .chain(self.objective.iter_mut());
        for row in all.chain(also) {
            let factor = row[var].neg()?;
            if factor.is_zero() {
                continue;
            }
            for (entry, quotient) in row.iter_mut().zip(&quotients) {
                entry.add_product(&factor, quotient)?;
            }
        }
        if let Some(trail) = &mut self.trail {
            trail.shear(var, quotients);
        }
        Ok(())
    }

    /// Changes variables, all but the given ones, so that inequality `at` has at most
    /// one of them; gives its column.
    pub fn concentrate(
        &mut self,
        at: usize,
        but: &[usize],
        budget: &mut Budget,
    ) -> Result<Option<usize>, Stop> {
        loop {
            let mut open = self.inequalities.row(at)[..self.vars()].to_vec();
            for column in but {
                open[*column] = N::zero();
            }
            match concentration(&open)? {
                Concentration::None => return Ok(None),
                Concentration::In(var) => return Ok(Some(var)),
                Concentration::After(var, quotients) => {
                    self.replace(var, quotients, None, budget)?;
                }
            }
        }
    }

    /// The same for the objective, with all variables.
    pub fn concentrate_objective(&mut self, budget: &mut Budget) -> Result<Option<usize>, Stop> {
        loop {
            match concentration(&self.objective.row(0)[..self.vars()])? {
                Concentration::None => return Ok(None),
                Concentration::In(var) => return Ok(Some(var)),
                Concentration::After(var, quotients) => {
                    self.replace(var, quotients, None, budget)?;
                }
            }
        }
    }

    /// The point asked for, from values of the columns that are left.
    pub fn complete(&self, columns: &[usize], values: &[N]) -> Result<Vec<N>, Stop> {
        let mut point = vec![N::zero(); self.vars()];
        for (column, value) in columns.iter().zip(values) {
            point[*column] = value.clone();
        }
        if let Some(trail) = &self.trail {
            trail.complete(&mut point)?;
        }
        Ok(point)
    }
}

/// What it takes to have one variable in a form.
enum Concentration<N> {
    /// It has none.
    None,
    /// It has one.
    In(usize),
    /// The coefficients become smaller with these quotients.
    After(usize, Vec<N>),
}

fn concentration<N: Num>(form: &[N]) -> Result<Concentration<N>, Stop> {
    let Some(var) = smallest(form)? else {
        return Ok(Concentration::None);
    };
    if form.iter().filter(|entry| !entry.is_zero()).count() == 1 {
        return Ok(Concentration::In(var));
    }
    Ok(Concentration::After(var, quotients(form, var)?))
}

/// The other coefficients divided by that of `var`, to the nearest: the remainders
/// are half of it at most.
fn quotients<N: Num>(form: &[N], var: usize) -> Result<Vec<N>, Stop> {
    let pivot = &form[var];
    let half = pivot.abs()?.div_floor(&N::from_i64(2))?;
    let half = if pivot.signum() < 0 {
        half.neg()?
    } else {
        half
    };
    let mut quotients = vec![N::zero(); form.len()];
    for (i, quotient) in quotients.iter_mut().enumerate() {
        if i != var && !form[i].is_zero() {
            *quotient = form[i].add(&half)?.div_floor(pivot)?;
        }
    }
    Ok(quotients)
}

pub(crate) fn load_rows<N: Num>(
    width: usize,
    rows: &[crate::conjunct::Row],
) -> Result<Rows<N>, Stop> {
    let mut loaded = Rows::with_capacity(width, rows.len());
    for row in rows {
        for (to, from) in loaded.push_zeros().iter_mut().zip(row) {
            *to = N::from_int(from)?;
        }
    }
    Ok(loaded)
}

/// What one inequality turned out to be.
enum Normal {
    Never,
    Always,
    /// A row with variables, and its digest.
    Row(u64),
}

/// Divides by the common divisor of the coefficients, the constant rounded down: no
/// integer point is lost by that.
fn normalise_inequality<N: Num>(row: &mut [N]) -> Result<Normal, Stop> {
    let (constant, coefficients) = row.split_last_mut().expect("a row has a constant");
    let mut divisor = N::zero();
    let mut digest = 0u64;
    for entry in coefficients.iter() {
        if !entry.is_zero() && !divisor.is_one() {
            divisor = divisor.gcd(entry)?;
        }
        digest = fold(digest, entry);
    }
    if divisor.is_zero() {
        return Ok(if constant.signum() < 0 {
            Normal::Never
        } else {
            Normal::Always
        });
    }
    if !divisor.is_one() {
        digest = 0;
        for entry in coefficients.iter_mut() {
            *entry = entry.div_exact(&divisor)?;
            digest = fold(digest, entry);
        }
        *constant = constant.div_floor(&divisor)?;
    }
    Ok(Normal::Row(digest))
}

/// A hash that is linear, so that opposite rows have opposite hashes.
fn fold<N: Num>(digest: u64, entry: &N) -> u64 {
    digest
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(entry.digest())
}

/// Divides by the common divisor of the coefficients; false where it does not divide
/// the constant, so that there is no solution.
pub(crate) fn normalise_equality<N: Num>(row: &mut [N]) -> Result<bool, Stop> {
    let (constant, coefficients) = row.split_last_mut().expect("a row has a constant");
    let mut divisor = N::zero();
    for entry in coefficients.iter() {
        if !entry.is_zero() {
            divisor = divisor.gcd(entry)?;
            if divisor.is_one() {
                return Ok(true);
            }
        }
    }
    if divisor.is_zero() {
        return Ok(constant.is_zero());
    }
    if !constant.mod_floor(&divisor)?.is_zero() {
        return Ok(false);
    }
    for entry in row.iter_mut() {
        *entry = entry.div_exact(&divisor)?;
    }
    Ok(true)
}

/// The place of the coefficient that is smallest without being zero.
fn smallest<N: Num>(row: &[N]) -> Result<Option<usize>, Stop> {
    let mut best: Option<(usize, N)> = None;
    for (i, entry) in row.iter().enumerate() {
        if entry.is_zero() {
            continue;
        }
        let size = entry.abs()?;
        if best.as_ref().is_none_or(|(_, least)| size < *least) {
            let unit = size.is_one();
            best = Some((i, size));
            if unit {
                break;
            }
        }
    }
    Ok(best.map(|(i, _)| i))
}

/// How two normalised inequalities stand to each other.
#[derive(PartialEq, Eq)]
enum Pair {
    Apart,
    /// The same coefficients: the smaller constant is the stronger.
    Parallel,
    /// Opposite, and nothing between them.
    Empty,
    /// Opposite and touching.
    Equality,
}

fn compare<N: Num>(a: &[N], b: &[N]) -> Result<Pair, Stop> {
    let last = a.len() - 1;
    if a[..last] == b[..last] {
        return Ok(Pair::Parallel);
    }
    for (x, y) in a[..last].iter().zip(&b[..last]) {
        if !x.add(y)?.is_zero() {
            return Ok(Pair::Apart);
        }
    }
    let slack = a[last].add(&b[last])?;
    Ok(match slack.signum() {
        -1 => Pair::Empty,
        0 => Pair::Equality,
        _ => Pair::Apart,
    })
}
