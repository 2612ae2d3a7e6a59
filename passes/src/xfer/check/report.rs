//! What the checker says of a program.

use super::state::{Action, Wrong};
use super::trail::What;
use terrace_dialects::memref;
use terrace_dialects::xfer::Side;
use terrace_ir::{Context, Loc, Op, Value};

/// A place where an array may be used on a side on which it may be stale, or is used
/// from the wrong memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Incoherence {
    /// The op that uses the array.
    pub op: Op,
    /// The array of the host, also where its mirror is used.
    pub array: Value,
    /// What is wrong, to stand behind `'NAME' op `.
    pub message: String,
    /// A path that leads there: the write, then branches and loops, in order.
    pub path: Vec<(Loc, String)>,
}

impl Incoherence {
    /// Makes a diagnostic of it.
    pub fn emit(&self, ctx: &Context) {
        self.op.error(ctx, &self.message);
        for (loc, note) in &self.path {
            ctx.note(*loc, note.as_str());
        }
    }
}

/// What the program calls an array: `%A (argument 0)`, `the global @g`.
pub(in crate::xfer) fn array_words(ctx: &Context, array: Value) -> String {
    if let Some(op) = array.def_op()
        && op.name(ctx) == memref::GetGlobalOp::NAME
        && let Some([.., name]) = op.attr(ctx, "name").and_then(|a| a.as_symbol(ctx))
    {
        return format!("the global @{}", ctx.str(*name));
    }
    let entry = array.arg_block().is_some_and(|b| b.is_entry(ctx));
    match (array.loc(ctx).name(ctx), entry) {
        (Some(name), true) => format!("%{name} (argument {})", array.index(ctx)),
        (Some(name), false) => format!("%{name}"),
        (None, true) => format!("argument {}", array.index(ctx)),
        (None, false) => match array.loc(ctx).file_pos(ctx) {
            Some((_, line, column)) => format!("the array of {line}:{column}"),
            None => "an array".to_string(),
        },
    }
}

/// The message for an action that is wrong.
pub(super) fn message(array: &str, action: Action, why: Wrong) -> String {
    let stale = |side: Side| format!("on the {}, where it may be stale", side.word());
    match (why, action) {
        (Wrong::Stale(side), Action::Read(_)) => format!("reads {array} {}", stale(side)),
        (Wrong::Stale(side), Action::Write(_)) => format!(
            "writes {array} on the {0}, where the rest of it may be stale; copy it to the {0} before, or discard it where all of it is written",
            side.word()
        ),
        (Wrong::Stale(side), Action::Copy(to) | Action::CopyPart(to) | Action::CopyBox(to)) => {
            format!(
                "copies {array} to the {} from the {}, where it may be stale",
                to.word(),
                side.word()
            )
        }
        (Wrong::Stale(side), Action::Ensure(to)) => format!(
            "copies {array} to the {}, as the flags say, from the {}, where it may be stale",
            to.word(),
            side.word()
        ),
        (Wrong::Stale(side), Action::Assert(_)) => {
            format!(
                "claims that {array} is valid on the {}, where it may be stale",
                side.word()
            )
        }
        (Wrong::Stale(_), Action::WriteElsewhere) => format!(
            "writes what may be {array} through another mirror than the one that has all of it; copy that to the host before"
        ),
        (Wrong::Stale(side), Action::Create | Action::CreateAgain) => {
            format!("makes a mirror of {array} from what is {}", stale(side))
        }
        (Wrong::Stale(side), Action::Return) => {
            format!(
                "returns while {array}, which the caller sees, may be stale on the {}",
                side.word()
            )
        }
        (Wrong::Stale(side), Action::Leave) => format!(
            "returns while {array} may be stale on the {0}, where the function says that it leaves it valid",
            side.word()
        ),
        (Wrong::Stale(side), Action::Call(_)) => format!(
            "hands over {array}, which the function needs to be valid on the {}, where it may be stale",
            side.word()
        ),
        (Wrong::Flags(side), Action::Leave) => format!(
            "returns while the flags may call {array} valid on the {}, where it is stale; the function says that it keeps them true",
            side.word()
        ),
        (Wrong::Flags(side), _) => format!(
            "hands over {array} to a function that asks the flags, and they may call it valid on the {}, where it is stale",
            side.word()
        ),
        (Wrong::NoMirror | Wrong::Freed, Action::Leave) => {
            format!("returns after {array} or its mirror, which belong to the caller, was freed")
        }
        (Wrong::Stale(side), _) => format!("uses {array} {}", stale(side)),
        (Wrong::NoMirror, Action::Free) => {
            format!("frees the mirror of {array}, which may have been freed before")
        }
        (Wrong::NoMirror, _) => format!("uses the mirror of {array}, which may have been freed"),
        (Wrong::Freed, Action::FreeArray) => {
            format!("frees {array}, which may have been freed before")
        }
        (Wrong::Freed, _) => format!("uses {array}, which may have been freed"),
        (Wrong::Second, _) => format!(
            "makes another mirror of {array}, while the one that it made before may still be in use"
        ),
    }
}

/// The kind of step that led to a mistake.
pub(super) fn is_cause(why: Wrong, what: What) -> bool {
    match why {
        Wrong::Stale(Side::Device) => {
            matches!(
                what,
                What::Wrote(Side::Host) | What::WroteElsewhere | What::Made
            )
        }
        Wrong::Stale(Side::Host) => matches!(what, What::Wrote(Side::Device)),
        Wrong::Flags(side) => {
            what == What::Wrote(side.other())
                || side == Side::Device && matches!(what, What::WroteElsewhere)
        }
        Wrong::NoMirror => what == What::FreedMirror,
        Wrong::Freed => what == What::FreedArray,
        Wrong::Second => what == What::Made,
    }
}
