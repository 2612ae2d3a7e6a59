//! Which model a pass asks, and of which machine: options that passes share.

use terrace_ir::diag::Severity;
use terrace_ir::pass::{OptionInfo, OptionKind, ParsedOptions, PassContext, PassFailed};
use terrace_ir::{Context, Op};
use terrace_machine::{Machine, by_name};

/// What mappings are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Model {
    /// Times, from the addresses of lanes: [`super::predict`].
    #[default]
    Exact,
    /// Cache lines, from classes of coefficients: [`super::table`].
    Table,
}

impl Model {
    /// The names of all.
    pub(crate) const NAMES: &[&str] = &["exact", "table"];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Model::Exact => "exact",
            Model::Table => "table",
        }
    }

    /// # Errors
    ///
    /// Another name than `exact` and `table`.
    pub fn parse(s: &str) -> Result<Model, String> {
        match s {
            "exact" => Ok(Model::Exact),
            "table" => Ok(Model::Table),
            _ => Err(format!("found `{s}`, expected exact or table")),
        }
    }
}

/// The name of a file that a tool hands over ([`Context::set_input_file`]): the description
/// of the machine at hand, where it knows one.
pub const AT_HAND: &str = "machine-at-hand";

/// The built-in description that is taken where nothing names one.
const DEFAULT: &str = "sm_90";

/// Option `machine` of a pass.
pub(crate) const MACHINE: OptionInfo = OptionInfo::new(
    "machine",
    OptionKind::Str,
    "",
    "Architecture, as in sm_90: its built-in description; by default what calibrate kept, else sm_90",
);

/// Option `machine-file` of a pass.
pub(crate) const MACHINE_FILE: OptionInfo = OptionInfo::new(
    "machine-file",
    OptionKind::File,
    "",
    "A description of a machine, in place of the built-in one",
);

/// Option `sizes` of a pass.
pub(crate) const SIZES: OptionInfo = OptionInfo::new(
    "sizes",
    OptionKind::StrList,
    "",
    "Values of arguments (N:1024) and of dynamic dimensions (A.0:1024)",
);

/// Option `assume` of a pass.
pub(crate) const ASSUME: OptionInfo = OptionInfo::new(
    "assume",
    OptionKind::UInt,
    "1024",
    "What values that are not known are taken to be",
);

/// What the options of a pass say of the machine.
#[derive(Debug, Clone)]
pub(crate) struct MachineChoice {
    built_in: Option<Machine>,
    file: String,
}

impl MachineChoice {
    /// From options [`MACHINE`] and [`MACHINE_FILE`].
    ///
    /// # Errors
    ///
    /// An architecture that is not known.
    pub(crate) fn of(options: &ParsedOptions) -> Result<MachineChoice, String> {
        let name = options.str(MACHINE.name);
        Ok(MachineChoice {
            built_in: match name {
                "" => None,
                name => Some(*by_name(name)?),
            },
            file: options.str(MACHINE_FILE.name).to_string(),
        })
    }

    /// The machine: that of the file, else the built-in one that is named, else the one
    /// [at hand](AT_HAND), else an H200. What is wrong with a file is reported at `op`.
    ///
    /// # Errors
    ///
    /// A file that holds no description.
    pub(crate) fn machine(&self, ctx: &PassContext, op: Op) -> Result<Machine, PassFailed> {
        let named = (!self.file.is_empty()).then_some(self.file.as_str());
        match (named, self.built_in) {
            (Some(file), _) => described(ctx, op, file, &handed_over(ctx, file)),
            (None, Some(built_in)) => Ok(built_in),
            (None, None) => match ctx.input_file(AT_HAND) {
                Some(text) => described(ctx, op, AT_HAND, &text),
                None => by_name(DEFAULT).copied().map_err(|m| {
                    ctx.emit_at(Severity::Error, op.loc(ctx), m);
                    PassFailed
                }),
            },
        }
    }
}

fn handed_over(ctx: &Context, file: &str) -> String {
    let text = ctx.input_file(file);
    text.map(|t| t.to_string()).unwrap_or_default()
}

fn described(ctx: &PassContext, op: Op, file: &str, text: &str) -> Result<Machine, PassFailed> {
    terrace_machine::read(text).map_err(|errors| {
        for e in errors {
            ctx.emit_at(Severity::Error, op.loc(ctx), format!("{file}:{e}"));
        }
        PassFailed
    })
}
