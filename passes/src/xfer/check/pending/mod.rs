//! What may still run: asynchronous ops that the host has not waited for.
//!
//! For each asynchronous op it is known, at each point and over all paths that lead
//! there, whether it may still run, and whose completion is also that of all its runs up
//! to there: tokens, by the values that hold them, and queues, by number. Whoever uses
//! what such an op uses, and changes it or finds it changed, must come after it. What an
//! array *is* (see `state`) counts from the start of an op on; this here makes it true.
//!
//! | file | what |
//! | --- | --- |
//! | `running` | what may still run at a point |
//! | `names` | tokens under other names, where control passes on |
//! | `order` | what an op comes after, by tokens and queues |
//! | `tasks` | the asynchronous ops of a function, and what other ops do about them |
//! | `clash` | which accesses must not run at the same time |

mod clash;
mod names;
mod order;
mod running;
mod tasks;

pub(super) use self::clash::Clash;
pub(super) use self::names::{Renamed, entered, renamed};
pub(super) use self::order::has_token;
pub(super) use self::running::Pending;
pub(super) use self::tasks::{Role, Tasks, is_asynchronous};
