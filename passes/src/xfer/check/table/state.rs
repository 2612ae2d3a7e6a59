//! What may be so of one array and the table of present arrays, on one path; and the rule:
//! what each [`Act`] needs and leaves behind.
//!
//! The table has an entry for each row of elements that is on the device, with its two
//! counters (OpenACC 3.3, 2.6.7). Counters are numbers up to a bound, and "that or more"
//! there. Which buffers are those of the entries now is kept beside, as bits: one that was
//! looked up before its entry left is another memory's.

use super::content::{Content, Copies, OnDevice, Span};
use terrace_dialects::xfer::{Clause, Side};

/// Counters from here on are one.
const MANY_REGIONS: u8 = 12;
const MANY_ENTERS: u8 = 4;

/// Lookups of an array, by number, whose buffers are those of the table now.
pub type Buffers = u128;

/// The bit of the buffers that a function's caller has.
pub const OF_CALLER: Buffers = 1 << 127;

/// The bit of the lookup of this number; those with large ones are taken to be right.
pub fn bit(lookup: usize) -> Buffers {
    match lookup < 127 {
        true => 1 << lookup,
        false => 0,
    }
}

/// A row of elements that is on the device.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry {
    pub span: Span,
    regions: u8,
    enters: u8,
    /// Whether the caller of the function that is followed holds it, whoever that is.
    outside: bool,
}

/// What is so of an array.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    Known(Known),
    /// Only the run can tell; that is said where it came to be so.
    Unknown,
    /// The array was freed.
    Freed,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Known {
    /// All of its elements.
    whole: Span,
    /// In order; they do not overlap.
    pub entries: Vec<Entry>,
    pub content: Content,
    /// Whether the table is as the function that is followed found it, and nobody knows
    /// how that was: what must be present then is so, and valid on both sides.
    pub found: bool,
}

/// What an op does to an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// A clause of `xfer.enter_data`. Spans are `None` where only the run knows them.
    Enter {
        clause: Clause,
        span: Option<Span>,
        structured: bool,
    },
    Exit {
        clause: Clause,
        span: Option<Span>,
        structured: bool,
        finalize: bool,
    },
    Update {
        to: Side,
        span: Option<Span>,
        if_present: bool,
    },
    /// `xfer.present`.
    Look {
        lookup: usize,
        span: Option<Span>,
        if_present: bool,
    },
    Read {
        side: Side,
        lookup: usize,
        span: Span,
        /// Whether the same op also writes some of it.
        writes: bool,
    },
    Write {
        side: Side,
        lookup: usize,
        span: Span,
        /// Whether all of the span is written.
        all: bool,
    },
    /// Nobody needs the elements.
    Discard(Span),
    /// The array is allocated, with all of these elements: another one than before.
    Allocate(Span),
    Free,
    /// The function returns to where nobody follows it.
    Return,
    /// What an op does to the table only the run can tell.
    Anything,
}

/// What is wrong with an act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wrong {
    /// It needs elements that may be stale on this side.
    Stale(Side),
    /// It needs elements that the device may not have been given.
    Unset,
    /// The array may not be on the device.
    Absent,
    /// Only a part of it is.
    Partly,
    /// The buffer may not be the array's any more.
    Gone,
    /// It frees the array, which may be on the device.
    Held,
    /// The array may have been freed.
    Freed,
    /// Some of the elements may not be written, and the rest is stale on that side.
    Rest(Side),
    /// A kernel may have written only some of what the device was given no values of.
    MaybeUnset,
    /// Only the run can tell which elements it is about.
    WhichPart,
    /// Only the run can tell what it does to the table.
    WhatItDoes,
    /// There are too many states to be told apart.
    TooManyWays,
    /// The function returns while the host's array is stale.
    Left,
    /// An asynchronous op may still use the buffer.
    UnderWay,
}

impl Wrong {
    /// Whether it is that the text does not say enough, and not a mistake for sure where
    /// the path is taken.
    pub fn is_ignorance(self) -> bool {
        matches!(
            self,
            Wrong::Rest(_)
                | Wrong::MaybeUnset
                | Wrong::WhichPart
                | Wrong::WhatItDoes
                | Wrong::TooManyWays
                | Wrong::Left
        )
    }
}

/// How a row of elements lies to the entries.
enum At {
    Inside(usize),
    Partly,
    Absent,
}

type Outcome = Result<(), Wrong>;

impl State {
    /// Nothing is on the device. `found`: nobody knows what the function was called with.
    pub fn absent(whole: Span, found: bool) -> State {
        State::Known(Known {
            whole,
            entries: Vec::new(),
            content: Content::default(),
            found,
        })
    }

    /// Does it. After a mistake the state is as if there had been none, or not known.
    pub fn step(&mut self, act: &Act, buffers: &mut Buffers) -> Outcome {
        match (&mut *self, act) {
            (_, Act::Allocate(whole)) => {
                *self = State::absent(*whole, false);
                *buffers = 0;
                Ok(())
            }
            (State::Unknown, _) | (State::Freed, Act::Return) => Ok(()),
            (State::Freed, _) => Err(Wrong::Freed),
            (State::Known(_), Act::Anything) => {
                *self = State::Unknown;
                Err(Wrong::WhatItDoes)
            }
            (State::Known(k), Act::Free) => {
                let held = !k.entries.is_empty();
                *self = State::Freed;
                match held {
                    true => Err(Wrong::Held),
                    false => Ok(()),
                }
            }
            (State::Known(k), _) => {
                let outcome = k.step(act, buffers);
                let lost = [
                    Wrong::Absent,
                    Wrong::Partly,
                    Wrong::Gone,
                    Wrong::WhichPart,
                    Wrong::WhatItDoes,
                ];
                if outcome.is_err_and(|w| lost.contains(&w)) {
                    *self = State::Unknown;
                }
                outcome
            }
        }
    }

    /// Whether all of a span is present: as far as the state can tell.
    pub fn is_present(&self, span: Span) -> Option<bool> {
        match self {
            State::Known(k) => match k.at(k.cut(span)) {
                At::Inside(_) => Some(true),
                At::Absent if k.found => None,
                At::Absent | At::Partly => Some(false),
            },
            State::Unknown | State::Freed => None,
        }
    }
}

impl Known {
    fn at(&self, span: Span) -> At {
        for (i, e) in self.entries.iter().enumerate() {
            if e.span.meets(span) {
                return match e.span.has(span) {
                    true => At::Inside(i),
                    false => At::Partly,
                };
            }
        }
        At::Absent
    }

    /// The span of a clause. One that only the run knows is one of all of the array, as
    /// far as who holds it is concerned, where all of it is present or none.
    fn row(&self, span: Option<Span>) -> Result<Span, Wrong> {
        match (span, &self.entries[..]) {
            (Some(s), _) => Ok(self.cut(s)),
            (None, [all]) if all.span == self.whole => Ok(all.span),
            (None, _) => Err(Wrong::WhichPart),
        }
    }

    /// A span as the function that began to follow the array counts its elements, which
    /// may know more of their number than one that it calls.
    fn cut(&self, span: Span) -> Span {
        Span {
            lo: span.lo,
            hi: span.hi.min(self.whole.hi),
        }
    }

    fn step(&mut self, act: &Act, buffers: &mut Buffers) -> Outcome {
        match *act {
            Act::Enter {
                clause,
                span,
                structured,
            } => self.enter(clause, self.row(span)?, structured),
            Act::Exit {
                clause,
                span,
                structured,
                finalize,
            } => {
                let row = self.row(span)?;
                self.exit(
                    (clause, row, span.is_none()),
                    (structured, finalize),
                    buffers,
                )
            }
            Act::Update {
                to,
                span,
                if_present,
            } => {
                if span.is_none() && self.entries.is_empty() && if_present {
                    return Ok(());
                }
                let row = self.row(span)?;
                match self.at(row) {
                    At::Partly => return Err(Wrong::Partly),
                    At::Absent if self.found && !if_present => self.hold(row),
                    At::Absent if if_present => return Ok(()),
                    At::Absent => return Err(Wrong::Absent),
                    At::Inside(_) => {}
                }
                if span.is_none() && self.content.any(row, |c| c != Copies::ALL) {
                    return Err(Wrong::WhichPart);
                }
                self.copy(row, to)
            }
            Act::Look {
                lookup,
                span,
                if_present,
            } => {
                let row = self.row(span)?;
                match self.at(row) {
                    At::Partly => return Err(Wrong::Partly),
                    At::Absent if self.found => self.hold(row),
                    At::Absent if if_present => {
                        *buffers &= !bit(lookup);
                        return Ok(());
                    }
                    At::Absent => return Err(Wrong::Absent),
                    At::Inside(_) => {}
                }
                *buffers |= bit(lookup);
                Ok(())
            }
            Act::Read {
                side,
                lookup,
                span,
                writes,
            } => {
                if side == Side::Device && bit(lookup) & !*buffers != 0 {
                    return Err(Wrong::Gone);
                }
                self.read(side, self.cut(span), writes)
            }
            Act::Write {
                side,
                lookup,
                span,
                all,
            } => {
                if side == Side::Device && bit(lookup) & !*buffers != 0 {
                    return Err(Wrong::Gone);
                }
                self.write(side, self.cut(span), all)
            }
            Act::Discard(span) => {
                self.content.change(self.cut(span), |_| Copies::ALL);
                Ok(())
            }
            Act::Return => {
                let mut rest = self.content.clone();
                for e in self.entries.iter().filter(|e| e.outside) {
                    rest.change(e.span, |_| Copies::ALL);
                }
                match rest.any(self.whole, |c| !c.host) {
                    true => Err(Wrong::Left),
                    false => Ok(()),
                }
            }
            Act::Allocate(_) | Act::Free | Act::Anything => Ok(()),
        }
    }

    /// What must be present is held by the caller.
    fn hold(&mut self, span: Span) {
        self.add(span, true);
    }

    fn add(&mut self, span: Span, outside: bool) -> usize {
        self.found &= outside;
        let at = self.entries.partition_point(|e| e.span < span);
        let entry = Entry {
            span,
            regions: 0,
            enters: 0,
            outside,
        };
        self.entries.insert(at, entry);
        at
    }

    fn enter(&mut self, clause: Clause, span: Span, structured: bool) -> Outcome {
        if span.is_empty() {
            return Ok(());
        }
        let mut outcome = Ok(());
        let at = match self.at(span) {
            At::Inside(at) => at,
            At::Partly => return Err(Wrong::Partly),
            At::Absent if clause == Clause::NoCreate => return Ok(()),
            At::Absent if clause == Clause::Present && self.found => self.add(span, true),
            At::Absent if clause == Clause::Present => return Err(Wrong::Absent),
            At::Absent => {
                self.content.change(span, |c| Copies {
                    device: OnDevice::Unset,
                    ..c
                });
                let at = self.add(span, false);
                if clause.copies_in() {
                    outcome = self.copy(span, Side::Device);
                }
                at
            }
        };
        let e = &mut self.entries[at];
        let (counter, many) = match structured {
            true => (&mut e.regions, MANY_REGIONS),
            false => (&mut e.enters, MANY_ENTERS),
        };
        *counter = (*counter + 1).min(many);
        outcome
    }

    /// Counts down; from "many" to one less, see [`Known::stays_at_many`].
    fn exit(
        &mut self,
        (clause, span, part): (Clause, Span, bool),
        (structured, finalize): (bool, bool),
        buffers: &mut Buffers,
    ) -> Outcome {
        if span.is_empty() {
            return Ok(());
        }
        let at = match self.at(span) {
            At::Inside(at) => at,
            At::Partly => return Err(Wrong::Partly),
            At::Absent => return Ok(()),
        };
        let e = &mut self.entries[at];
        let counter = match structured {
            true => &mut e.regions,
            false => &mut e.enters,
        };
        if *counter == 0 {
            // Whether the caller's own `xfer.enter_data` hold it only the caller knows.
            return match e.outside && !structured {
                true => Err(Wrong::WhatItDoes),
                false => Ok(()),
            };
        }
        *counter = if finalize { 0 } else { *counter - 1 };
        if e.regions > 0 || e.enters > 0 || e.outside {
            return Ok(());
        }
        if part && clause.copies_out() {
            return Err(Wrong::WhichPart);
        }
        let outcome = match clause.copies_out() {
            true => self.copy(span, Side::Host),
            false => Ok(()),
        };
        let gone = self.entries.remove(at).span;
        self.content.change(gone, |c| Copies {
            device: OnDevice::Valid,
            ..c
        });
        *buffers = 0;
        outcome
    }

    /// Whether an exit from here may find a counter of "many" as it was, since that stands
    /// for more.
    pub fn stays_at_many(&self, act: &Act) -> bool {
        let Act::Exit {
            span,
            structured,
            finalize: false,
            ..
        } = *act
        else {
            return false;
        };
        let Ok(At::Inside(at)) = self.row(span).map(|s| self.at(s)) else {
            return false;
        };
        match structured {
            true => self.entries[at].regions == MANY_REGIONS,
            false => self.entries[at].enters == MANY_ENTERS,
        }
    }

    /// A copy of elements that are present to a side.
    fn copy(&mut self, span: Span, to: Side) -> Outcome {
        let found = self.content.within(span);
        let any = |is: &dyn Fn(&Copies) -> bool| found.iter().any(is);
        let outcome = match to {
            Side::Device if any(&|c| !c.host) => Err(Wrong::Stale(Side::Host)),
            Side::Device => Ok(()),
            Side::Host if any(&|c| c.device == OnDevice::Stale) => Err(Wrong::Stale(Side::Device)),
            Side::Host if any(&|c| c.device == OnDevice::Unset) => Err(Wrong::Unset),
            Side::Host if any(&|c| c.device == OnDevice::MaybeSet) => Err(Wrong::MaybeUnset),
            Side::Host => Ok(()),
        };
        self.content.change(span, |_| Copies::ALL);
        outcome
    }

    fn read(&mut self, side: Side, span: Span, writes: bool) -> Outcome {
        let found = self.content.within(span);
        let any = |is: &dyn Fn(&Copies) -> bool| found.iter().any(is);
        let has = |d: OnDevice| any(&|c| c.device == d);
        match side {
            Side::Host if any(&|c| !c.host) => {
                self.content.change(span, |c| Copies { host: true, ..c });
                Err(Wrong::Stale(Side::Host))
            }
            Side::Host => Ok(()),
            Side::Device => {
                let why = match () {
                    () if has(OnDevice::Stale) => Wrong::Stale(Side::Device),
                    () if has(OnDevice::Unset) && !writes => Wrong::Unset,
                    () if has(OnDevice::Unset) || has(OnDevice::MaybeSet) => Wrong::MaybeUnset,
                    () => return Ok(()),
                };
                self.content.change(span, |c| Copies {
                    device: OnDevice::Valid,
                    ..c
                });
                Err(why)
            }
        }
    }

    fn write(&mut self, side: Side, span: Span, all: bool) -> Outcome {
        let found = self.content.within(span);
        let any = |is: &dyn Fn(&Copies) -> bool| !all && found.iter().any(is);
        match side {
            Side::Host => {
                let rest = any(&|c| !c.host);
                let present: Vec<Span> = self.entries.iter().map(|e| e.span).collect();
                self.content.change(span, |c| Copies { host: true, ..c });
                for p in present.into_iter().filter(|p| p.meets(span)) {
                    let both = Span {
                        lo: p.lo.max(span.lo),
                        hi: p.hi.min(span.hi),
                    };
                    self.content.change(both, |c| match c.device {
                        OnDevice::Unset => c,
                        _ => Copies {
                            device: OnDevice::Stale,
                            ..c
                        },
                    });
                }
                match rest {
                    true => Err(Wrong::Rest(Side::Host)),
                    false => Ok(()),
                }
            }
            Side::Device => {
                let rest = any(&|c| c.device == OnDevice::Stale);
                self.content.change(span, |c| {
                    let unset = matches!(c.device, OnDevice::Unset | OnDevice::MaybeSet);
                    Copies {
                        host: false,
                        device: match unset && !all {
                            true => OnDevice::MaybeSet,
                            false => OnDevice::Valid,
                        },
                    }
                });
                match rest {
                    true => Err(Wrong::Rest(Side::Device)),
                    false => Ok(()),
                }
            }
        }
    }
}
