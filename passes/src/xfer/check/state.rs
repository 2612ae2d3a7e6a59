//! What may be true of an array and its mirror at one point of a program.
//!
//! One path to the point gives one [`Cell`]: where the array is valid, and where the
//! flags say so. This file is the coherence rule as a table: what each [`Action`] needs
//! and leaves behind, from each cell. Everything else of the checker only finds out
//! which actions happen, to which array, in which order.

use terrace_dialects::xfer::Side;

/// A set of sides that is not empty: where an array is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Where {
    Host,
    Device,
    Both,
}

impl Where {
    const ALL: [Where; 3] = [Where::Host, Where::Device, Where::Both];

    pub(crate) fn only(side: Side) -> Where {
        match side {
            Side::Host => Where::Host,
            Side::Device => Where::Device,
        }
    }

    pub(crate) fn has(self, side: Side) -> bool {
        self == Where::Both || self == Where::only(side)
    }
}

/// What is so on one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Cell {
    /// The array has a mirror. All of it is valid where `truth` says; on the other side
    /// some of it may be stale. `flag` is what `xfer.ensure` will go by.
    Live { truth: Where, flag: Where },
    /// There is no mirror: none was made yet, or it was freed while the host had all.
    Bare,
    /// The mirror was freed while only it had the whole array.
    Lost,
    /// The array itself was freed.
    Freed,
}

/// How many cells there are.
pub(super) const CELLS: usize = 12;

impl Cell {
    pub(crate) const MADE: Cell = Cell::Live {
        truth: Where::Host,
        flag: Where::Host,
    };
    const SAME: Cell = Cell::Live {
        truth: Where::Both,
        flag: Where::Both,
    };

    pub(crate) fn index(self) -> usize {
        match self {
            Cell::Live { truth, flag } => truth as usize * 3 + flag as usize,
            Cell::Bare => 9,
            Cell::Lost => 10,
            Cell::Freed => 11,
        }
    }

    /// The cell of an index below [`CELLS`].
    pub(crate) fn of(index: usize) -> Cell {
        match index {
            9 => Cell::Bare,
            10 => Cell::Lost,
            11 => Cell::Freed,
            i => Cell::Live {
                truth: Where::ALL[i / 3 % 3],
                flag: Where::ALL[i % 3],
            },
        }
    }

    /// Whether all of the array is valid on a side.
    pub(crate) fn valid(self, side: Side) -> bool {
        match self {
            Cell::Live { truth, .. } => truth.has(side),
            Cell::Bare => side == Side::Host,
            Cell::Lost | Cell::Freed => false,
        }
    }

    /// A side that the flags call valid and that may be stale.
    pub(crate) fn false_flag(self) -> Option<Side> {
        let Cell::Live { truth, flag } = self else {
            return None;
        };
        let sides = [Side::Host, Side::Device];
        sides.into_iter().find(|s| flag.has(*s) && !truth.has(*s))
    }

    fn with_truth(self, to: Where) -> Cell {
        match self {
            Cell::Live { flag, .. } => Cell::Live { truth: to, flag },
            other => other,
        }
    }

    fn with_flag(self, to: Where) -> Cell {
        match self {
            Cell::Live { truth, .. } => Cell::Live { truth, flag: to },
            other => other,
        }
    }
}

/// What an op does to an array and its mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Action {
    /// Elements are read on a side.
    Read(Side),
    /// Elements are written on a side, maybe not all.
    Write(Side),
    /// All elements are written on a side, and nothing of them is read before.
    Overwrite(Side),
    /// The whole array is copied to a side from the other.
    Copy(Side),
    /// A part of the array is copied to a side from the other.
    CopyPart(Side),
    /// All of this part of the array is copied to a side from the other: the flags, which
    /// are of the whole, stay.
    CopyBox(Side),
    /// As `Copy`, unless the flags say that the array is valid there.
    Ensure(Side),
    /// `xfer.mark_written`.
    Mark(Side),
    /// `xfer.assert_valid`, of one side.
    Assert(Side),
    /// Nobody needs the content.
    Discard,
    /// Nobody needs the content of this part.
    DiscardBox,
    /// Nobody needs the content of a part, or of an array that may be this one.
    MayDiscard,
    /// Ops that were not looked at one by one may have set the flags to anything.
    AnyFlags,
    /// The mirror is made. One made by the same op before is out of reach; not so for
    /// `CreateAgain`.
    Create,
    CreateAgain,
    /// Elements are written through another mirror of what may be the same memory: for
    /// this mirror that is as a write on the host, from where the newer element will come.
    /// That it gets there is a matter of the other mirror, and checked with that.
    WriteElsewhere,
    /// The mirror is freed.
    Free,
    /// The array is freed.
    FreeArray,
    /// The array is allocated: another one than that of an earlier iteration.
    Alloc,
    /// The same, where that of an earlier iteration may still be used by another name.
    AllocAgain,
    /// The function returns, and its caller knows the array.
    Return,
    /// The function returns to where the mirror came from; what it says of the pair is
    /// held against the cells there.
    Leave,
    /// A function that is handed the pair is called.
    Call(Called),
}

/// What a function does to a pair that it is handed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Called {
    /// On which sides the array has to be valid: host, device.
    pub needs: [bool; 2],
    /// Whether it asks the flags, so that they have to be true.
    pub flags: bool,
    /// By live cell: the cells in which it may return, as bits.
    pub to: [u16; LIVE],
}

/// How many cells are live.
pub(super) const LIVE: usize = 9;

/// What is wrong with an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Wrong {
    /// It needs the array on this side, where it may be stale.
    Stale(Side),
    /// It is about the mirror, which may have been freed.
    NoMirror,
    /// The array may have been freed.
    Freed,
    /// A mirror that this op made before may still be in use.
    Second,
    /// The flags may call it valid on this side, where it is stale.
    Flags(Side),
}

/// What comes of an action: the cells of the paths behind it, and what is wrong.
/// After a mistake the cell is as if there had been none, so that one mistake is
/// reported once and not at each use that follows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    pub to: Vec<Cell>,
    pub wrong: Option<Wrong>,
}

fn fine(to: Cell) -> Outcome {
    Outcome {
        to: vec![to],
        wrong: None,
    }
}

fn wrong(to: Cell, why: Wrong) -> Outcome {
    Outcome {
        to: vec![to],
        wrong: Some(why),
    }
}

fn either(a: Cell, b: Cell) -> Outcome {
    Outcome {
        to: vec![a, b],
        wrong: None,
    }
}

/// The rule.
pub(super) fn step(cell: Cell, action: Action) -> Outcome {
    match cell {
        Cell::Live { truth, flag } => live(truth, flag, action),
        Cell::Bare => bare(action),
        Cell::Lost => lost(action),
        Cell::Freed => freed(action),
    }
}

fn live(truth: Where, flag: Where, action: Action) -> Outcome {
    let cell = Cell::Live { truth, flag };
    // Goes on with `to`, if the array is valid on the side.
    let needs = |side: Side, to: Cell| match truth.has(side) {
        true => fine(to),
        false => wrong(to, Wrong::Stale(side)),
    };
    match action {
        Action::Read(side) | Action::Assert(side) => match truth.has(side) {
            true => fine(cell),
            false => wrong(cell.with_truth(Where::Both), Wrong::Stale(side)),
        },
        // Where only a part is written, the rest must be valid: else neither side had
        // the whole array afterwards, and no copy could put it together.
        Action::Write(side) => needs(side, cell.with_truth(Where::only(side))),
        Action::Overwrite(side) => fine(cell.with_truth(Where::only(side))),
        Action::Copy(side) => needs(side.other(), Cell::SAME),
        Action::CopyBox(side) => needs(side.other(), cell.with_truth(Where::Both)),
        Action::DiscardBox => fine(cell.with_truth(Where::Both)),
        // What was stale before may be outside of the part.
        Action::CopyPart(side) => match truth.has(side.other()) {
            true => fine(cell),
            false => wrong(cell.with_truth(Where::Both), Wrong::Stale(side.other())),
        },
        Action::Ensure(side) if flag.has(side) => fine(cell),
        Action::Ensure(side) => live(truth, flag, Action::Copy(side)),
        Action::Mark(side) => fine(cell.with_flag(Where::only(side))),
        Action::Discard => fine(Cell::SAME),
        Action::MayDiscard => either(cell, cell.with_flag(Where::Both)),
        Action::AnyFlags => Outcome {
            to: Where::ALL.map(|f| cell.with_flag(f)).to_vec(),
            wrong: None,
        },
        Action::Create => needs(Side::Host, Cell::MADE),
        Action::CreateAgain => wrong(Cell::MADE, Wrong::Second),
        Action::WriteElsewhere => needs(Side::Host, cell.with_truth(Where::Host)),
        Action::Free => fine(without_mirror(truth)),
        Action::FreeArray => fine(Cell::Freed),
        Action::Alloc => fine(Cell::Bare),
        Action::AllocAgain => fine(cell),
        Action::Return => needs(Side::Host, cell.with_truth(Where::Both)),
        Action::Leave => fine(cell),
        Action::Call(called) => call(cell, &called),
    }
}

fn call(cell: Cell, called: &Called) -> Outcome {
    for side in [Side::Host, Side::Device] {
        if called.needs[side as usize] && !cell.valid(side) {
            return wrong(cell.with_truth(Where::Both), Wrong::Stale(side));
        }
    }
    if let Some(side) = cell.false_flag().filter(|_| called.flags) {
        return wrong(cell.with_truth(Where::Both), Wrong::Flags(side));
    }
    let bits = called.to.get(cell.index()).copied().unwrap_or(0);
    Outcome {
        to: (0..CELLS)
            .filter(|i| bits & 1 << i != 0)
            .map(Cell::of)
            .collect(),
        wrong: None,
    }
}

fn without_mirror(truth: Where) -> Cell {
    match truth.has(Side::Host) {
        true => Cell::Bare,
        false => Cell::Lost,
    }
}

fn bare(action: Action) -> Outcome {
    let cell = Cell::Bare;
    match action {
        Action::Read(Side::Host) | Action::Write(Side::Host) | Action::Overwrite(Side::Host) => {
            fine(cell)
        }
        Action::Create | Action::CreateAgain => fine(Cell::MADE),
        Action::FreeArray => fine(Cell::Freed),
        Action::Discard
        | Action::DiscardBox
        | Action::MayDiscard
        | Action::AnyFlags
        | Action::WriteElsewhere
        | Action::Alloc
        | Action::AllocAgain
        | Action::Leave
        | Action::Return => fine(cell),
        Action::Read(Side::Device)
        | Action::Write(Side::Device)
        | Action::Overwrite(Side::Device)
        | Action::Copy(_)
        | Action::CopyPart(_)
        | Action::CopyBox(_)
        | Action::Ensure(_)
        | Action::Mark(_)
        | Action::Assert(_)
        | Action::Call(_)
        | Action::Free => wrong(cell, Wrong::NoMirror),
    }
}

fn lost(action: Action) -> Outcome {
    match action {
        Action::Read(Side::Host) | Action::Write(Side::Host) | Action::Return => {
            wrong(Cell::Bare, Wrong::Stale(Side::Host))
        }
        Action::WriteElsewhere => wrong(Cell::Bare, Wrong::Stale(Side::Host)),
        Action::Create | Action::CreateAgain => wrong(Cell::MADE, Wrong::Stale(Side::Host)),
        Action::Overwrite(Side::Host) | Action::Discard | Action::DiscardBox | Action::Alloc => {
            fine(Cell::Bare)
        }
        Action::MayDiscard | Action::AnyFlags | Action::AllocAgain | Action::Leave => {
            fine(Cell::Lost)
        }
        Action::FreeArray => fine(Cell::Freed),
        Action::Read(Side::Device)
        | Action::Write(Side::Device)
        | Action::Overwrite(Side::Device)
        | Action::Copy(_)
        | Action::CopyPart(_)
        | Action::CopyBox(_)
        | Action::Ensure(_)
        | Action::Mark(_)
        | Action::Assert(_)
        | Action::Call(_)
        | Action::Free => wrong(Cell::Lost, Wrong::NoMirror),
    }
}

fn freed(action: Action) -> Outcome {
    match action {
        Action::Alloc | Action::AllocAgain => fine(Cell::Bare),
        // The mirror may be freed after its array. A function may free what it was given.
        Action::Free | Action::MayDiscard | Action::AnyFlags | Action::Return | Action::Leave => {
            fine(Cell::Freed)
        }
        _ => wrong(Cell::Freed, Wrong::Freed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Side::{Device, Host};

    /// The cell after these actions, from a new mirror; `Err` with the number of the
    /// first that is wrong, and why.
    fn after(actions: &[Action]) -> Result<Cell, (usize, Wrong)> {
        let mut cell = Cell::MADE;
        for (i, a) in actions.iter().enumerate() {
            let o = step(cell, *a);
            if let Some(w) = o.wrong {
                return Err((i, w));
            }
            cell = o.to[0];
        }
        Ok(cell)
    }

    #[test]
    fn cells_and_indices() {
        for i in 0..CELLS {
            assert_eq!(Cell::of(i).index(), i);
        }
    }

    #[test]
    fn a_copy_between_write_and_use() {
        use Action::*;
        assert_eq!(after(&[Read(Device)]), Err((0, Wrong::Stale(Device))));
        assert!(after(&[Copy(Device), Write(Device), Copy(Host), Read(Host)]).is_ok());
        assert_eq!(
            after(&[Copy(Device), Write(Device), Read(Host)]),
            Err((2, Wrong::Stale(Host)))
        );
        assert_eq!(
            after(&[Copy(Device), Write(Device), Copy(Device)]),
            Err((2, Wrong::Stale(Host)))
        );
        assert_eq!(
            after(&[Copy(Device), Write(Device), Write(Host)]),
            Err((2, Wrong::Stale(Host)))
        );
        assert_eq!(
            after(&[Copy(Device), Write(Device), Overwrite(Host)]),
            Ok(Cell::Live {
                truth: Where::Host,
                flag: Where::Both
            })
        );
        assert!(after(&[Discard, Write(Device), Copy(Host), Read(Host)]).is_ok());
    }

    #[test]
    fn flags_decide_what_ensure_does() {
        use Action::*;
        assert!(after(&[Ensure(Device), Read(Device)]).is_ok());
        // The write is not told.
        let untold = [Ensure(Device), Write(Device), Ensure(Host), Read(Host)];
        assert_eq!(after(&untold), Err((3, Wrong::Stale(Host))));
        let told = [
            Ensure(Device),
            Write(Device),
            Mark(Device),
            Ensure(Host),
            Read(Host),
        ];
        assert!(after(&told).is_ok());
        // A mark without a write leads to a copy over newer elements.
        let lie = [Ensure(Device), Write(Host), Mark(Device), Ensure(Host)];
        assert_eq!(after(&lie), Err((3, Wrong::Stale(Device))));
        assert_eq!(step(Cell::MADE, AnyFlags).to.len(), 3);
    }

    #[test]
    fn another_mirror() {
        use Action::*;
        assert_eq!(
            after(&[Copy(Device), WriteElsewhere, Read(Device)]),
            Err((2, Wrong::Stale(Device)))
        );
        assert!(after(&[Copy(Device), WriteElsewhere, Copy(Device), Read(Device)]).is_ok());
        assert_eq!(
            after(&[Copy(Device), Write(Device), WriteElsewhere]),
            Err((2, Wrong::Stale(Host)))
        );
    }

    #[test]
    fn parts_do_not_make_the_rest_valid() {
        use Action::*;
        assert_eq!(
            after(&[CopyPart(Device), Read(Device)]),
            Err((1, Wrong::Stale(Device)))
        );
        assert!(after(&[Copy(Device), CopyPart(Device), Read(Device)]).is_ok());
    }

    #[test]
    fn life_and_death() {
        use Action::*;
        assert_eq!(after(&[Free]), Ok(Cell::Bare));
        assert_eq!(after(&[Free, Read(Device)]), Err((1, Wrong::NoMirror)));
        assert_eq!(
            after(&[Copy(Device), Write(Device), Free, Read(Host)]),
            Err((3, Wrong::Stale(Host)))
        );
        assert!(after(&[Copy(Device), Write(Device), Free, Discard, Read(Host)]).is_ok());
        assert_eq!(after(&[CreateAgain]), Err((0, Wrong::Second)));
        assert_eq!(after(&[Copy(Device), Create]), Ok(Cell::MADE));
        assert_eq!(
            after(&[Copy(Device), Write(Device), Create]),
            Err((2, Wrong::Stale(Host)))
        );
        assert!(after(&[Free, Create]).is_ok());
        assert_eq!(after(&[FreeArray, Read(Host)]), Err((1, Wrong::Freed)));
        assert!(after(&[FreeArray, Free]).is_ok());
        assert_eq!(after(&[FreeArray, Alloc]), Ok(Cell::Bare));
    }

    /// A path with more valid sides never has more mistakes: what lets joins of paths
    /// forget nothing.
    #[test]
    fn more_is_never_worse() {
        let sides = [Host, Device];
        let actions = sides.iter().flat_map(|s| {
            [
                Action::Read(*s),
                Action::Write(*s),
                Action::Overwrite(*s),
                Action::Copy(*s),
                Action::CopyPart(*s),
                Action::Ensure(*s),
                Action::Assert(*s),
            ]
        });
        for action in actions {
            for (truth, flag) in Where::ALL.iter().flat_map(|t| Where::ALL.map(|f| (*t, f))) {
                let both = live(Where::Both, flag, action);
                assert!(both.wrong.is_none(), "{action:?} {flag:?}");
                if live(truth, flag, action).wrong.is_none() {
                    let (a, b) = (live(truth, flag, action).to[0], both.to[0]);
                    for side in sides {
                        assert!(!a.valid(side) || b.valid(side), "{action:?} {truth:?}");
                    }
                }
            }
        }
    }
}
