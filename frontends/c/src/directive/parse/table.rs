//! Which clauses there are, how they are spelled, and which directive takes which.
//!
//! The numbers are sections of OpenACC 3.1; PGI's are those of the PGI Accelerator
//! programming model 1.3.

use crate::directive::{Compute, DataKind, Dialect};

/// A clause, whatever it stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Word {
    Async,
    Attach,
    Auto,
    Bind,
    CacheList,
    Collapse,
    Copy,
    Copyin,
    Copyout,
    Create,
    Default,
    DefaultAsync,
    Delete,
    Detach,
    Device,
    DeviceNum,
    DeviceResident,
    DeviceType,
    Deviceptr,
    Finalize,
    Firstprivate,
    Gang,
    Host,
    If,
    IfPresent,
    Independent,
    Kernel,
    Link,
    NoCreate,
    NoHost,
    NumGangs,
    NumWorkers,
    Parallel,
    Present,
    Private,
    Reduction,
    ItSelf,
    Seq,
    ShortLoop,
    Tile,
    Unroll,
    UpdateIn,
    UpdateOut,
    UseDevice,
    Vector,
    VectorLength,
    Wait,
    Worker,
}

use Word::*;

/// Every spelling; the first of a clause is the one that messages suggest.
pub(super) const SPELLINGS: &[(&str, Word)] = &[
    ("async", Async),
    ("attach", Attach),
    ("auto", Auto),
    ("bind", Bind),
    ("cache", CacheList),
    ("collapse", Collapse),
    ("copy", Copy),
    ("pcopy", Copy),
    ("present_or_copy", Copy),
    ("copyin", Copyin),
    ("pcopyin", Copyin),
    ("present_or_copyin", Copyin),
    ("copyout", Copyout),
    ("pcopyout", Copyout),
    ("present_or_copyout", Copyout),
    ("create", Create),
    ("pcreate", Create),
    ("present_or_create", Create),
    ("default", Default),
    ("default_async", DefaultAsync),
    ("delete", Delete),
    ("detach", Detach),
    ("device", Device),
    ("device_num", DeviceNum),
    ("device_resident", DeviceResident),
    ("device_type", DeviceType),
    ("dtype", DeviceType),
    ("deviceptr", Deviceptr),
    ("finalize", Finalize),
    ("firstprivate", Firstprivate),
    ("gang", Gang),
    ("host", Host),
    ("if", If),
    ("if_present", IfPresent),
    ("independent", Independent),
    ("kernel", Kernel),
    ("link", Link),
    ("no_create", NoCreate),
    ("nohost", NoHost),
    ("num_gangs", NumGangs),
    ("num_workers", NumWorkers),
    ("parallel", Parallel),
    ("present", Present),
    ("private", Private),
    ("reduction", Reduction),
    ("self", ItSelf),
    ("seq", Seq),
    ("shortloop", ShortLoop),
    ("tile", Tile),
    ("unroll", Unroll),
    ("updatein", UpdateIn),
    ("updateout", UpdateOut),
    ("use_device", UseDevice),
    ("vector", Vector),
    ("vector_length", VectorLength),
    ("wait", Wait),
    ("worker", Worker),
];

/// PGI's words for data, which are clauses on its directives only.
pub(super) const PGI_SPELLINGS: &[(&str, Word)] = &[
    ("local", Create),
    ("mirror", Create),
    ("reflected", Present),
];

/// What a directive is, before its arguments are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Compute {
        construct: Compute,
        combined: bool,
    },
    Loop,
    Data,
    EnterData,
    ExitData,
    HostData,
    Update,
    Wait,
    Cache,
    Declare,
    /// PGI's `acc mirror(list)` and the like: a declaration of one clause.
    DeclareAs(Word),
    Routine,
    Atomic,
    Init,
    Shutdown,
    Set,
    Host,
    Target,
    Schedule,
}

/// A directive: its words, and the clauses that it takes.
#[derive(Debug)]
pub(super) struct Rules {
    /// Behind `acc` or `terrace`.
    pub(super) name: &'static str,
    pub(super) dialect: Dialect,
    pub(super) form: Form,
    pub(super) clauses: &'static [&'static [Word]],
    /// The clauses that it is about.
    pub(super) one_of: &'static [Word],
    pub(super) given: Given,
}

/// How many of the clauses there must be that a directive is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Given {
    Some,
    /// Without any the directive does nothing, which is no error for other compilers.
    Wanted,
    /// There may be one, and not two.
    AtMostOne,
}

impl Rules {
    pub(super) fn takes(&self, word: Word) -> bool {
        self.clauses.iter().any(|group| group.contains(&word))
    }

    /// The directive as the user writes it.
    pub(super) fn full_name(&self) -> String {
        match self.dialect {
            Dialect::OpenAcc | Dialect::Pgi => format!("acc {}", self.name),
            Dialect::Terrace => format!("terrace {}", self.name),
            Dialect::Scop => self.name.to_owned(),
        }
    }

    /// The words that it takes, as messages list them.
    pub(super) fn spellings(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = Vec::new();
        for group in self.clauses {
            for word in *group {
                let name = spelling(*word);
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        if self.dialect == Dialect::Pgi && self.takes(Create) {
            names.push("local");
        }
        names.sort_unstable();
        names
    }
}

/// The first spelling of a clause.
pub(super) fn spelling(word: Word) -> &'static str {
    let found = SPELLINGS.iter().find(|s| s.1 == word);
    found.map_or("?", |s| s.0)
}

/// The clause of this spelling.
pub(super) fn word(spelling: &str, dialect: Dialect) -> Option<Word> {
    let pgi = PGI_SPELLINGS
        .iter()
        .filter(|_| dialect == Dialect::Pgi)
        .chain(SPELLINGS);
    pgi.into_iter().find(|s| s.0 == spelling).map(|s| s.1)
}

/// 2.7: data clauses of constructs.
const DATA: &[Word] = &[
    Copy, Copyin, Copyout, Create, NoCreate, Present, Deviceptr, Attach, Default,
];
/// 2.5.
const COMPUTE: &[Word] = &[If, ItSelf, Async, Wait, DeviceType];
const SIZES: &[Word] = &[NumGangs, NumWorkers, VectorLength];
const PRIVATE: &[Word] = &[Private, Firstprivate, Reduction];
/// 2.9.
const LOOP: &[Word] = &[
    Collapse,
    Gang,
    Worker,
    Vector,
    Seq,
    Auto,
    Independent,
    Tile,
    DeviceType,
    Private,
    Reduction,
];
const QUEUE: &[Word] = &[If, Async, Wait];
const LEVELS: &[Word] = &[Gang, Worker, Vector, Seq];
/// PGI 2.6: of a region; `local` is `create`.
const PGI_REGION: &[Word] = &[
    If, Async, Copy, Copyin, Copyout, Create, Deviceptr, UpdateIn, UpdateOut, Present,
];
/// PGI 2.7.
const PGI_DO: &[Word] = &[
    Host,
    Parallel,
    Seq,
    Vector,
    Unroll,
    Independent,
    Kernel,
    ShortLoop,
    Private,
    CacheList,
];

const fn rules(
    name: &'static str,
    dialect: Dialect,
    form: Form,
    clauses: &'static [&'static [Word]],
) -> Rules {
    Rules {
        name,
        dialect,
        form,
        clauses,
        one_of: &[],
        given: Given::Some,
    }
}

const fn compute(construct: Compute, combined: bool) -> Form {
    Form::Compute {
        construct,
        combined,
    }
}

const fn acc(name: &'static str, form: Form, clauses: &'static [&'static [Word]]) -> Rules {
    rules(name, Dialect::OpenAcc, form, clauses)
}

const fn pgi(name: &'static str, form: Form, clauses: &'static [&'static [Word]]) -> Rules {
    rules(name, Dialect::Pgi, form, clauses)
}

const fn needs(mut rules: Rules, one_of: &'static [Word], given: Given) -> Rules {
    rules.one_of = one_of;
    rules.given = given;
    rules
}

/// Directives behind `acc`. Of several that a line begins with, the longest counts.
pub(super) const ACC: &[Rules] = &[
    acc(
        "parallel",
        compute(Compute::Parallel, false),
        &[COMPUTE, SIZES, PRIVATE, DATA],
    ),
    acc(
        "kernels",
        compute(Compute::Kernels, false),
        // `private` is no clause of it in the specification; older compilers took it.
        &[COMPUTE, SIZES, &[Private], DATA],
    ),
    acc(
        "serial",
        compute(Compute::Serial, false),
        &[COMPUTE, PRIVATE, DATA],
    ),
    acc(
        "parallel loop",
        compute(Compute::Parallel, true),
        &[COMPUTE, SIZES, PRIVATE, DATA, LOOP],
    ),
    acc(
        "kernels loop",
        compute(Compute::Kernels, true),
        &[COMPUTE, SIZES, DATA, LOOP],
    ),
    acc(
        "serial loop",
        compute(Compute::Serial, true),
        &[COMPUTE, PRIVATE, DATA, LOOP],
    ),
    acc("loop", Form::Loop, &[LOOP]),
    // `async` and `wait` are of 3.2. Without a data clause 3.3 forbids it.
    needs(
        acc("data", Form::Data, &[QUEUE, &[DeviceType], DATA]),
        DATA,
        Given::Wanted,
    ),
    needs(
        acc(
            "enter data",
            Form::EnterData,
            &[QUEUE, &[Copyin, Create, Attach]],
        ),
        &[Copyin, Create, Attach],
        Given::Some,
    ),
    needs(
        acc(
            "exit data",
            Form::ExitData,
            &[QUEUE, &[Copyout, Delete, Detach, Finalize]],
        ),
        &[Copyout, Delete, Detach],
        Given::Some,
    ),
    needs(
        acc("host_data", Form::HostData, &[&[UseDevice, If, IfPresent]]),
        &[UseDevice],
        Given::Some,
    ),
    needs(
        acc(
            "update",
            Form::Update,
            &[QUEUE, &[DeviceType, IfPresent, ItSelf, Host, Device]],
        ),
        &[ItSelf, Host, Device],
        Given::Some,
    ),
    acc("wait", Form::Wait, &[&[Async, If]]),
    acc("cache", Form::Cache, &[]),
    needs(
        acc(
            "declare",
            Form::Declare,
            &[&[
                Copy,
                Copyin,
                Copyout,
                Create,
                Present,
                Deviceptr,
                DeviceResident,
                Link,
            ]],
        ),
        &[
            Copy,
            Copyin,
            Copyout,
            Create,
            Present,
            Deviceptr,
            DeviceResident,
            Link,
        ],
        Given::Some,
    ),
    // 3.3 asks for a level; without one other compilers take it for `seq`.
    needs(
        acc(
            "routine",
            Form::Routine,
            &[LEVELS, &[Bind, DeviceType, NoHost]],
        ),
        LEVELS,
        Given::AtMostOne,
    ),
    acc("atomic", Form::Atomic, &[]),
    acc("init", Form::Init, &[&[DeviceType, DeviceNum, If]]),
    acc("shutdown", Form::Shutdown, &[&[DeviceType, DeviceNum, If]]),
    needs(
        acc(
            "set",
            Form::Set,
            &[&[DefaultAsync, DeviceNum, DeviceType, If]],
        ),
        &[DefaultAsync, DeviceNum, DeviceType],
        Given::Some,
    ),
    pgi("region", compute(Compute::Kernels, false), &[PGI_REGION]),
    pgi(
        "region do",
        compute(Compute::Kernels, true),
        &[PGI_REGION, PGI_DO],
    ),
    pgi(
        "region for",
        compute(Compute::Kernels, true),
        &[PGI_REGION, PGI_DO],
    ),
    pgi("data region", Form::Data, &[PGI_REGION]),
    pgi("do", Form::Loop, &[PGI_DO]),
    pgi("for", Form::Loop, &[PGI_DO]),
    pgi("local", Form::DeclareAs(Create), &[]),
    pgi("mirror", Form::DeclareAs(Create), &[]),
    pgi("reflected", Form::DeclareAs(Present), &[]),
    pgi("copy", Form::DeclareAs(Copy), &[]),
    pgi("copyin", Form::DeclareAs(Copyin), &[]),
    pgi("copyout", Form::DeclareAs(Copyout), &[]),
];

/// Directives behind `terrace`.
pub(super) const TERRACE: &[Rules] = &[
    rules(
        "offload",
        Dialect::Terrace,
        compute(Compute::Auto, false),
        &[&[If, Async, Wait], SIZES, PRIVATE, DATA],
    ),
    rules("host", Dialect::Terrace, Form::Host, &[]),
    rules("target", Dialect::Terrace, Form::Target, &[]),
    rules("schedule", Dialect::Terrace, Form::Schedule, &[]),
];

/// What stands in brackets behind a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Nothing,
    /// An expression, or nothing.
    MayExpr,
    Expr,
    /// Variables and parts of arrays.
    Vars,
    /// Something of its own.
    Own,
}

/// A clause on this directive.
pub(super) fn shape(word: Word, form: Form) -> Shape {
    match word {
        Auto | Finalize | IfPresent | Independent | Kernel | NoHost | Seq | ShortLoop => {
            Shape::Nothing
        }
        Async | Parallel | Unroll => Shape::MayExpr,
        DefaultAsync | DeviceNum | If | NumWorkers | VectorLength => Shape::Expr,
        Host if form == Form::Update => Shape::Vars,
        Host => Shape::MayExpr,
        ItSelf if form == Form::Update => Shape::Vars,
        ItSelf => Shape::MayExpr,
        Attach | CacheList | Copy | Copyin | Copyout | Create | Delete | Detach | Device
        | DeviceResident | Deviceptr | Firstprivate | Link | NoCreate | Present | Private
        | UpdateIn | UpdateOut | UseDevice => Shape::Vars,
        _ => Shape::Own,
    }
}

/// The kind of data that a clause is about.
pub(super) fn data_kind(word: Word) -> Option<DataKind> {
    Some(match word {
        Copy => DataKind::Copy,
        Copyin => DataKind::Copyin,
        Copyout => DataKind::Copyout,
        Create => DataKind::Create,
        Present => DataKind::Present,
        NoCreate => DataKind::NoCreate,
        Delete => DataKind::Delete,
        Detach => DataKind::Detach,
        Attach => DataKind::Attach,
        Deviceptr => DataKind::Deviceptr,
        DeviceResident => DataKind::DeviceResident,
        Link => DataKind::Link,
        ItSelf | Host | UpdateOut => DataKind::UpdateHost,
        Device | UpdateIn => DataKind::UpdateDevice,
        _ => return None,
    })
}

/// Modifiers before the variables of a clause: those of 3.1, and of 3.4.
pub(super) fn modifiers(word: Word) -> &'static [&'static str] {
    match word {
        Copyin => &["readonly", "always", "alwaysin", "capture"],
        Copyout | Create => &["zero", "always", "alwaysout", "capture"],
        Copy => &["always", "alwaysin", "alwaysout", "capture"],
        _ => &[],
    }
}

/// Clauses that may follow `device_type` and are then for those devices.
pub(super) fn per_device(word: Word) -> bool {
    matches!(
        word,
        Async
            | Wait
            | NumGangs
            | NumWorkers
            | VectorLength
            | Collapse
            | Gang
            | Worker
            | Vector
            | Seq
            | Independent
            | Auto
            | Tile
            | Bind
    )
}

/// Clauses that may stand on a directive more than once.
pub(super) fn repeats(word: Word, form: Form) -> bool {
    matches!(word, Reduction | DeviceType | Wait) || shape(word, form) == Shape::Vars
}

/// Clauses that contradict each other.
pub(super) const CONFLICTS: &[(Word, Word)] = &[
    (Seq, Independent),
    (Seq, Auto),
    (Independent, Auto),
    (Seq, Gang),
    (Seq, Worker),
    (Seq, Vector),
    (Auto, Gang),
    (Auto, Worker),
    (Auto, Vector),
    (Seq, Parallel),
    (Host, Parallel),
    (Host, Vector),
    (Collapse, Tile),
];
