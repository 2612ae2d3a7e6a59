//! Conversions between layouts, carried out on arrays and compared with the definition.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use support::{any_layout, covering, meaning, places, small_shape};
use terrace_layout::{
    Conversion, Digit, Formula, LaneFunction, Layout, LayoutError, Memory, Outside, Place,
    Resource, ShufflePlan, conversion,
};
use terrace_lit::random::Random;

fn layout(text: &str) -> Layout {
    Layout::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// What places hold. A place that holds nothing known is absent.
type Tile = BTreeMap<Place, Vec<i64>>;

fn least_common_multiple(a: usize, b: usize) -> usize {
    (a..).step_by(a).find(|n| n % b == 0).unwrap()
}

/// All places of a machine on which both layouts fit, with these registers.
fn machine(from: &Layout, to: &Layout, registers: usize) -> Vec<Place> {
    let mut out = vec![Place::default()];
    for resource in Resource::ALL {
        let size = match resource {
            Resource::Reg => registers,
            _ => least_common_multiple(from.size(resource), to.size(resource)),
        };
        out = (out.into_iter())
            .flat_map(|p| (0..size).map(move |n| p.with(resource, n)))
            .collect();
    }
    out
}

/// A tile in a layout, each element named by its coordinates.
fn tile(layout: &Layout, places: &[Place]) -> Tile {
    places.iter().map(|p| (*p, meaning(layout, p))).collect()
}

fn shuffled(plan: &ShufflePlan, before: &Tile, threads: &[Place]) -> Tile {
    let mut out = Tile::new();
    for round in &plan.rounds {
        for thread in threads {
            let from = thread.with(Resource::Lane, round.lane.at(thread.lane));
            let given = from.with(Resource::Reg, round.give.at(from.lane));
            let filled = thread.with(Resource::Reg, round.take.at(thread.lane));
            let old = out.insert(filled, before[&given].clone());
            assert!(old.is_none(), "{filled:?} is filled twice");
        }
    }
    out
}

/// Through a buffer for each block, in which no two elements may meet.
fn buffered(memory: &Memory, from: &Layout, to: &Layout, before: &Tile) -> Tile {
    let mut buffers: BTreeMap<(usize, i64), Vec<i64>> = BTreeMap::new();
    for (place, element) in before.iter().filter(|(_, e)| from.contains(e)) {
        let old = buffers.insert((place.block, memory.offset(element)), element.clone());
        assert!(
            old.is_none_or(|old| old == *element),
            "{memory}: two elements meet"
        );
    }
    let mut out = Tile::new();
    for place in machine(from, to, to.size(Resource::Reg)) {
        let element = meaning(to, &place);
        if to.contains(&element) {
            let offset = memory.offset(&element);
            out.insert(place, buffers[&(place.block, offset)].clone());
        }
    }
    out
}

/// Does what the conversion says, and compares each place with the definition.
fn check(from: &Layout, to: &Layout, memory: &Memory) -> Result<&'static str, LayoutError> {
    let registers = to.size(Resource::Reg);
    let before = tile(from, &machine(from, to, from.size(Resource::Reg)));
    let after = machine(from, to, registers);
    let done = conversion(from, to)?;
    let (name, held) = match &done {
        Conversion::Nothing => {
            assert_eq!(from.size(Resource::Reg), registers);
            ("nothing", before)
        }
        Conversion::Registers(sources) => {
            assert_eq!(sources.len(), registers);
            let held = after.iter().map(|p| {
                let source = p.with(Resource::Reg, sources[p.reg]);
                (*p, before[&source].clone())
            });
            ("registers", held.collect())
        }
        Conversion::Shuffles(plan) => {
            assert_eq!(plan.rounds.len(), registers);
            for round in &plan.rounds {
                for f in [&round.give, &round.lane, &round.take] {
                    let formula = f.formula().unwrap();
                    for (lane, n) in f.table().iter().enumerate() {
                        assert_eq!(formula.at(lane), *n as i64);
                    }
                }
                for f in [&round.give, &round.take] {
                    assert!(f.constant().is_some() != f.select().is_some(), "{f:?}");
                }
            }
            let held = shuffled(plan, &before, &machine(from, to, 1));
            let moves = plan.rounds.iter().all(|r| !r.is_shuffle());
            (if moves { "moves" } else { "shuffles" }, held)
        }
        Conversion::Buffer => ("buffer", buffered(memory, from, to, &before)),
    };
    for place in after {
        let wanted = meaning(to, &place);
        if to.contains(&wanted) {
            assert_eq!(
                held.get(&place),
                Some(&wanted),
                "{from} to {to}, {done:?}, {place:?}"
            );
        }
    }
    Ok(name)
}

const GPU: [Resource; 4] = [
    Resource::Reg,
    Resource::Lane,
    Resource::Lane,
    Resource::Warp,
];

/// Another layout of the tile, often with the same warps or nearly the same lanes.
fn related(rng: &mut Random, from: &Layout) -> Layout {
    let mut digits: Vec<(Resource, Digit)> = (from.digits_with_resource())
        .flat_map(|(r, d)| {
            let mut out = Vec::new();
            let (mut left, mut step) = (d.radix, d.step.clone());
            while left > 1 {
                let factor = (2..=left).find(|f| left % f == 0).unwrap();
                out.push((r, Digit::new(factor, &step)));
                left /= factor;
                step.iter_mut().for_each(|s| *s *= factor);
            }
            out
        })
        .collect();
    for _ in 0..rng.between(0, 3) {
        if digits.is_empty() {
            break;
        }
        let a = rng.between(0, digits.len() as i64 - 1) as usize;
        let b = rng.between(0, digits.len() as i64 - 1) as usize;
        match rng.between(0, 5) {
            // Places in the list, so in the order of registers or lanes.
            0 => digits.swap(a, b),
            // Two digits of different resources.
            1..=3 => {
                let (first, second) = (digits[a].1.clone(), digits[b].1.clone());
                (digits[a].1, digits[b].1) = (second, first);
            }
            4 => digits[a].0 = *rng.pick(&GPU),
            _ => digits.insert(a, (*rng.pick(&GPU), Digit::copies(2, from.rank()))),
        }
    }
    Layout::new(from.shape(), digits).unwrap()
}

#[test]
fn conversions_of_random_pairs_are_the_definition() {
    let mut rng = Random(41);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let pairs = 100_000;
    for _ in 0..pairs {
        let mut shape = small_shape(&mut rng);
        while shape.iter().product::<i64>() > 32 {
            let largest = (0..shape.len()).max_by_key(|n| shape[*n]).unwrap();
            shape[largest] = (shape[largest] / 2).max(1);
        }
        let from = covering(&mut rng, &shape, &GPU);
        let to = match rng.one_in(4) {
            true => covering(&mut rng, &shape, &GPU),
            false => related(&mut rng, &from),
        };
        let mut order: Vec<usize> = (0..shape.len()).collect();
        rng.shuffle(&mut order);
        let memory = Memory::padded(&shape, &order, rng.between(0, 2)).unwrap();
        let name = check(&from, &to, &memory).unwrap_or_else(|e| panic!("{from} to {to}: {e}"));
        *counts.entry(name).or_default() += 1;
    }
    println!("{counts:?}");
    for name in ["nothing", "registers", "moves", "shuffles", "buffer"] {
        assert!(
            counts.get(name).is_some_and(|n| *n > pairs / 200),
            "{counts:?}"
        );
    }
}

/// Any digits, where some resources are as in another layout.
fn any_layout_like(rng: &mut Random, other: &Layout) -> Layout {
    let mut digits = Vec::new();
    for resource in Resource::ALL {
        if !rng.one_in(3) {
            digits.extend(other.digits(resource).iter().map(|d| (resource, d.clone())));
            continue;
        }
        for _ in 0..rng.between(0, 2) {
            let step: Vec<i64> = other.shape().iter().map(|_| rng.between(-2, 4)).collect();
            digits.push((resource, Digit::new(rng.between(1, 3), &step)));
        }
    }
    Layout::new(other.shape(), digits).unwrap()
}

#[test]
fn pairs_with_elements_outside_or_missing() {
    let mut rng = Random(42);
    let memory = |l: &Layout| {
        let order: Vec<usize> = (0..l.rank()).rev().collect();
        Memory::padded(l.shape(), &order, 0).unwrap()
    };
    let (mut done, mut missing) = (BTreeMap::new(), 0);
    for round in 0..20_000 {
        let mut from = any_layout(&mut rng);
        let mut to = any_layout_like(&mut rng, &from);
        if round % 2 == 0 {
            let extent = rng.between(3, 7);
            let resources = [
                Resource::Reg,
                Resource::Lane,
                Resource::Warp,
                Resource::Block,
            ];
            let number = if rng.one_in(4) { 4 } else { 3 };
            from = covering(&mut rng, &[8], &resources[..number]);
            to = covering(&mut rng, &[8], &resources[..number]);
            let cut = |l: &Layout| {
                let digits: Vec<_> = l
                    .digits_with_resource()
                    .map(|(r, d)| (r, d.clone()))
                    .collect();
                Layout::new(&[extent], digits).unwrap()
            };
            (from, to) = (cut(&from), cut(&to));
            assert!(from.covers(Outside::Allowed));
        }
        match check(&from, &to, &memory(&from)) {
            Ok(name) => *done.entry(name).or_insert(0) += 1,
            Err(LayoutError::NotHeld { element }) => {
                missing += 1;
                assert!(from.contains(&element));
                let places = machine(&from, &to, to.size(Resource::Reg));
                let blocks: BTreeSet<usize> = (places.iter())
                    .filter(|p| meaning(&to, p) == element.to_vec())
                    .map(|p| p.block)
                    .collect();
                let held: BTreeSet<usize> = (machine(&from, &to, from.size(Resource::Reg)).iter())
                    .filter(|p| meaning(&from, p) == element.to_vec())
                    .map(|p| p.block)
                    .collect();
                assert!(!blocks.is_subset(&held), "{from} to {to}: {element:?}");
            }
            Err(e) => panic!("{from} to {to}: {e}"),
        }
    }
    assert!(
        missing > 100 && done.len() == 5,
        "{done:?}, {missing} missing"
    );
}

#[test]
fn known_conversions() {
    let of = |from: &str, to: &str| conversion(&layout(from), &layout(to)).unwrap();
    let same = "<[64], reg = [2 @ (1)], lane = [32 @ (2)]>";
    assert_eq!(
        of(same, "<[64], reg = [2 @ (1)], lane = [4 @ (2), 8 @ (8)]>"),
        Conversion::Nothing
    );
    // Warps that nobody spoke of hold copies.
    assert_eq!(
        of(
            same,
            "<[64], reg = [2 @ (1)], lane = [32 @ (2)], warp = [4 @ (0)]>"
        ),
        Conversion::Nothing
    );
    assert_eq!(
        of(
            "<[6], reg = [2 @ (1), 3 @ (2)]>",
            "<[6], reg = [3 @ (2), 2 @ (1)]>"
        ),
        Conversion::Registers(vec![0, 2, 4, 1, 3, 5])
    );
    assert_eq!(
        of(
            "<[64], reg = [2 @ (1)], lane = [32 @ (2)], warp = [2 @ (0)]>",
            "<[64], lane = [32 @ (2)], reg = [1 @ (0)], warp = [2 @ (1)]>"
        ),
        Conversion::Buffer
    );
    // Two registers, and a neighbour's: the fragments of units of matrix products.
    let a = "<[8, 8], reg = [2 @ (0,1)], lane = [4 @ (0,2), 8 @ (1,0)]>";
    let b = "<[8, 8], reg = [2 @ (0,4)], lane = [4 @ (0,1), 8 @ (1,0)]>";
    assert!(matches!(
        of(a, b),
        Conversion::Buffer | Conversion::Shuffles(_)
    ));
    // One bit of the lane against one of the register, each of them.
    for bit in 0..5 {
        let bits: Vec<i64> = (0..6).map(|n| 1 << n).collect();
        let make = |reg: usize| {
            let lanes = (0..6)
                .filter(|n| *n != 5)
                .map(|n| if n == reg { 5 } else { n });
            let digits = std::iter::once((Resource::Reg, Digit::new(2, &[bits[reg]])));
            let lanes = lanes.map(|n| (Resource::Lane, Digit::new(2, &[bits[n]])));
            Layout::new(&[64], digits.chain(lanes)).unwrap()
        };
        let Conversion::Shuffles(plan) = conversion(&make(5), &make(bit)).unwrap() else {
            panic!("bit {bit} of the lane is not exchanged by shuffles");
        };
        // One half stays where it is, and the other changes places.
        let shuffles: Vec<_> = plan.rounds.iter().filter(|r| r.is_shuffle()).collect();
        assert_eq!(shuffles.len(), 1);
        assert_eq!(shuffles[0].lane.xor_mask(), Some(1 << bit));
        assert!(shuffles[0].give.select().is_some());
    }
    // One element to all lanes, and another order of the lanes.
    let Conversion::Shuffles(plan) = of(
        "<[32], lane = [32 @ (1)]>",
        "<[32], reg = [32 @ (1)], lane = [32 @ (0)]>",
    ) else {
        panic!("no broadcast");
    };
    assert_eq!(plan.rounds[7].lane.constant(), Some(7));
    let Conversion::Shuffles(plan) = of(
        "<[8, 4], lane = [4 @ (0,1), 8 @ (1,0)]>",
        "<[8, 4], lane = [8 @ (1,0), 4 @ (0,1)]>",
    ) else {
        panic!("no transpose");
    };
    let digits = vec![(8, 4), (4, 1)];
    assert_eq!(
        plan.rounds[0].lane.formula(),
        Some(Formula::Digits { start: 0, digits })
    );
}

#[test]
fn blocks_cannot_give_to_each_other() {
    let from = layout("<[8], reg = [4 @ (1)], block = [2 @ (4)]>");
    let to = layout("<[8], reg = [4 @ (2)], block = [2 @ (1)]>");
    let error = conversion(&from, &to).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the element (4) is not held in the block that needs it"
    );
    let error = conversion(&from, &layout("<[4], reg = [4 @ (1)]>")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a tile of shape [8] is not one of shape [4]"
    );
}

#[test]
fn functions_of_the_lane() {
    // The tables come from plans, which are all that makes such functions.
    let of_plan = |from: &str, to: &str| -> Vec<LaneFunction> {
        match conversion(&layout(from), &layout(to)).unwrap() {
            Conversion::Shuffles(plan) => plan.rounds.into_iter().map(|r| r.lane).collect(),
            other => panic!("{other:?}"),
        }
    };
    let lanes = of_plan(
        "<[8], lane = [8 @ (1)]>",
        "<[8], lane = [8 @ (-1)], reg = [2 @ (7)]>",
    );
    let lane = &lanes[1];
    assert_eq!(lane.table(), [7, 6, 5, 4, 3, 2, 1, 0]);
    assert_eq!(
        (lane.xor_mask(), lane.constant(), lane.select()),
        (Some(7), None, None)
    );
    assert_eq!(lane.at(9), 6);
    let digits = vec![(8, -1)];
    assert_eq!(lane.formula(), Some(Formula::Digits { start: 7, digits }));
}

#[test]
fn places_are_all_there() {
    let l = layout("<[4], reg = [2 @ (1)], lane = [2 @ (2)]>");
    assert_eq!(places(&l).len(), machine(&l, &l, 2).len());
}
