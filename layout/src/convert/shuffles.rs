//! Exchange between the lanes of a warp, one shuffle for each new register.

use super::{LaneFunction, Pair};
use crate::Resource;
use crate::spread::LANES;
use std::collections::HashMap;

/// How the lanes of each warp exchange elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShufflePlan {
    /// As many rounds as there are new registers. A lane fills another one in each.
    pub rounds: Vec<Round>,
}

/// One round: every lane gives one element and takes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// The old register that a lane gives: always the same, or one of two.
    pub give: LaneFunction,
    /// The lane from which a lane takes.
    pub lane: LaneFunction,
    /// The new register that a lane fills: always the same, or one of two.
    pub take: LaneFunction,
}

impl Round {
    /// Whether lanes take from others. If not, the round is a move within each lane.
    pub fn is_shuffle(&self) -> bool {
        !self.lane.is_own_lane()
    }
}

/// A lane and a register of it.
type Holder = (usize, usize);

/// In which round a lane fills which register.
#[derive(Clone, Copy)]
enum Turns {
    /// All lanes fill the same register in a round.
    Together,
    /// Lanes with this bit fill the register whose number differs in the other bit.
    ///
    /// This is what exchanges a bit of the lane with one of the register. Without it a lane
    /// would have to give two registers in one round.
    Apart { lane_bit: usize, reg_bit: usize },
}

impl Turns {
    fn register(self, round: usize, lane: usize) -> usize {
        match self {
            Turns::Together => round,
            Turns::Apart { lane_bit, reg_bit } => round ^ ((lane >> lane_bit & 1) << reg_bit),
        }
    }
}

/// A plan for layouts that agree in all but registers and lanes.
pub(super) fn find(pair: &Pair) -> Option<ShufflePlan> {
    let lanes = pair.common_size(Resource::Lane);
    if !(LANES as usize).is_multiple_of(lanes) {
        return None;
    }
    let mut holders: HashMap<i128, Vec<Holder>> = HashMap::new();
    let from_lanes = pair.old_keys(Resource::Lane);
    for lane in 0..lanes {
        for (reg, key) in pair.old_keys(Resource::Reg).iter().enumerate() {
            let key = key + from_lanes[lane % from_lanes.len()];
            holders.entry(key).or_default().push((lane, reg));
        }
    }
    let registers = pair.to.size(Resource::Reg);
    let to_lanes = pair.new_keys(Resource::Lane);
    // By register and lane, who holds what is needed. Nobody does where nothing is.
    let mut sources: Vec<Vec<&[Holder]>> = Vec::with_capacity(registers);
    for (reg, key) in pair.new_keys(Resource::Reg).iter().enumerate() {
        let of_lane = |lane: usize| {
            let at = lane % to_lanes.len();
            let found = holders.get(&(key + to_lanes[at])).map(Vec::as_slice);
            found.or_else(|| (!pair.is_needed(reg, at)).then_some(&[][..]))
        };
        sources.push((0..lanes).map(of_lane).collect::<Option<_>>()?);
    }
    let apart = (0..lanes.ilog2() as usize).flat_map(|lane_bit| {
        (0..registers.trailing_zeros() as usize)
            .map(move |reg_bit| Turns::Apart { lane_bit, reg_bit })
    });
    (std::iter::once(Turns::Together).chain(apart)).find_map(|turns| {
        let rounds = (0..registers).map(|round| find_round(&sources, turns, round));
        let rounds = rounds.collect::<Option<Vec<Round>>>()?;
        Some(ShufflePlan { rounds })
    })
}

fn find_round(sources: &[Vec<&[Holder]>], turns: Turns, round: usize) -> Option<Round> {
    let lanes = sources.first()?.len();
    let take: Vec<usize> = (0..lanes).map(|l| turns.register(round, l)).collect();
    let mut give: Vec<Option<usize>> = vec![None; lanes];
    let mut lane = Vec::with_capacity(lanes);
    for (l, reg) in take.iter().enumerate() {
        let able = sources[*reg][l].iter();
        let able = able.filter(|(from, reg)| give[*from].is_none_or(|other| other == *reg));
        // Of copies, the nearest by bits is taken. Then the lane is a simple function where
        // there is one.
        match able.min_by_key(|(from, reg)| (from ^ l, *reg)) {
            Some((from, reg)) => {
                give[*from] = Some(*reg);
                lane.push(*from);
            }
            None if sources[*reg][l].is_empty() => lane.push(l),
            None => return None,
        }
    }
    let out = Round {
        give: LaneFunction::completed(&give),
        lane: LaneFunction::new(lane),
        take: LaneFunction::new(take),
    };
    let is_choice = |f: &LaneFunction| f.constant().is_some() || f.select().is_some();
    let is_simple = [&out.give, &out.lane, &out.take]
        .into_iter()
        .all(|f| f.formula().is_some());
    (is_simple && is_choice(&out.give)).then_some(out)
}
