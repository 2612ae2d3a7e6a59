//! The stages that pipelines are made of.

/// The name of a stage. Their order is the one in which they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(
    missing_docs,
    reason = "`StageName::purpose` says what is true behind each"
)]
pub enum StageName {
    Numerics,
    Source,
    Loops,
    Parallel,
    Mapping,
    Scalars,
    Threads,
    Launches,
    Transfers,
    Kernels,
    Checks,
}

impl StageName {
    pub(crate) const ALL: [StageName; 11] = [
        StageName::Numerics,
        StageName::Source,
        StageName::Loops,
        StageName::Parallel,
        StageName::Mapping,
        StageName::Scalars,
        StageName::Threads,
        StageName::Launches,
        StageName::Transfers,
        StageName::Kernels,
        StageName::Checks,
    ];

    /// The word that options take.
    pub const fn name(self) -> &'static str {
        match self {
            StageName::Numerics => "numerics",
            StageName::Source => "source",
            StageName::Loops => "loops",
            StageName::Parallel => "parallel",
            StageName::Mapping => "mapping",
            StageName::Scalars => "scalars",
            StageName::Threads => "threads",
            StageName::Launches => "launches",
            StageName::Transfers => "transfers",
            StageName::Kernels => "kernels",
            StageName::Checks => "checks",
        }
    }

    /// What is true behind it.
    pub const fn purpose(self) -> &'static str {
        match self {
            StageName::Numerics => {
                "Operations carry what the user allows beyond strict arithmetic."
            }
            StageName::Source => {
                "Subscripts are of several dimensions where the program computed them by hand, and the steps of a schedule that are about the loops as they are written are done."
            }
            StageName::Loops => {
                "Loops whose iterations may run in any order are `affine.parallel`, and what is one kernel as a whole, a product or a scan, is one."
            }
            StageName::Parallel => "The steps of a schedule that map parallel loops are done.",
            StageName::Mapping => "Each nest says which of its loops become blocks and threads.",
            StageName::Scalars => {
                "Loops, conditions and subscripts are `scf`, `memref` and `arith` ops, each computed once and as far out as it can be."
            }
            StageName::Threads => "Nests are `gpu.launch` ops.",
            StageName::Launches => "A region's function is host code around launches.",
            StageName::Transfers => {
                "Arrays are copied to the device and back, as seldom and as little as is proved to do."
            }
            StageName::Kernels => {
                "Kernels are functions of their own, with what is known of their arguments, in a form that code is made of."
            }
            StageName::Checks => "Checks of the host's accesses stand outside of loops.",
        }
    }

    /// The stage of this name.
    ///
    /// # Errors
    ///
    /// Another name, with those that there are.
    pub(crate) fn parse(name: &str) -> Result<StageName, String> {
        let found = StageName::ALL.into_iter().find(|s| s.name() == name);
        found.ok_or_else(|| {
            let names = StageName::ALL.map(StageName::name).join(", ");
            format!("found the stage '{name}', expected one of {names}")
        })
    }
}
