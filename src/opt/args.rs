//! The command line of `terrace-opt`, with mlir-opt's habits: flags with one dash or
//! two, values after `=` or as the next word, every pass a flag of its own.

use crate::instruments::InstrumentOptions;
use crate::ir::diag::DEFAULT_SPLIT_MARKER;

/// What the command line asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OptArgs {
    /// `-` for standard input.
    pub input: String,
    pub output: Option<String>,
    pub split: Option<String>,
    pub output_split: Option<String>,
    /// `Some(true)` for `only-expected`.
    pub verify_diagnostics: Option<bool>,
    pub allow_unregistered: bool,
    pub no_verify_each: bool,
    pub generic: bool,
    pub debug_info: bool,
    pub local_scope: bool,
    pub elide_over: Option<usize>,
    pub skip_regions: bool,
    pub names_from_locations: bool,
    pub verify_roundtrip: bool,
    /// Whether upstream's parser reads the input, and its passes bring it down.
    pub load_mlir: Option<bool>,
    pub show: InstrumentOptions,
    pub statistics: bool,
    pub crash_reproducer: Option<String>,
    pub dump_pipeline: bool,
    pub list_passes: bool,
    pub show_dialects: bool,
    pub help: bool,
    pub version: bool,
    /// 0 for no limit.
    pub error_limit: Option<usize>,
    pub pipeline: Option<String>,
    /// Pass flags in order, each with its options.
    pub passes: Vec<(String, String)>,
}

/// A flag: its name, what its value is called (empty for none, in brackets with what stands in front
/// where it may be left out), and what it does.
pub struct Flag {
    /// Without dashes.
    pub name: &'static str,
    /// What its value is called.
    pub value: &'static str,
    /// What counts where it is not given; empty where that goes without saying.
    pub default: &'static str,
    /// What it does.
    pub doc: &'static str,
    set: fn(&mut OptArgs, Option<&str>) -> Result<(), String>,
}

impl Flag {
    /// Whether a value must follow.
    fn takes_value(&self) -> bool {
        !self.value.is_empty() && !self.value.starts_with('[')
    }
}

fn boolean(v: Option<&str>) -> Result<bool, String> {
    match v {
        None | Some("" | "true" | "TRUE" | "True" | "1") => Ok(true),
        Some("false" | "FALSE" | "False" | "0") => Ok(false),
        Some(v) => Err(format!(
            "'{v}' is invalid value for boolean argument! Try 0 or 1"
        )),
    }
}

fn number(v: Option<&str>) -> Result<usize, String> {
    let v = v.unwrap_or("");
    v.parse()
        .map_err(|_| format!("'{v}' value invalid for integer argument!"))
}

fn text(v: Option<&str>) -> String {
    v.unwrap_or("").to_string()
}

fn names(v: Option<&str>) -> Vec<String> {
    text(v)
        .split(',')
        .filter(|s| !s.is_empty())
        .map(str::to_string)
        .collect()
}

macro_rules! flags {
    ($($name:literal $value:literal $default:literal $doc:literal |$a:ident, $v:ident| $e:expr;)*) => {
        &[$(Flag { name: $name, value: $value, default: $default, doc: $doc, set: |$a, $v| { $e; Ok(()) } }),*]
    };
}

/// Every flag but the passes.
pub static FLAGS: &[Flag] = flags! {
    "o" "file" "-" "Write the output here; - for standard output" |a, v| a.output = Some(text(v));
    "split-input-file" "[=marker]" "" "Treat the parts of the input between '// -----' (or =MARKER) as files of their own"
        |a, v| a.split = Some(match v { None | Some("") => DEFAULT_SPLIT_MARKER.to_string(), Some(m) => m.to_string() });
    "output-split-marker" "text" "// -----, and nothing without --split-input-file" "What to print between the outputs of split parts" |a, v| a.output_split = Some(text(v));
    "load-mlir" "[=read|lower]" "" "Read the input, text or bytecode, by upstream's parser; =lower brings it down by upstream's passes. The program terrace-mlir does it"
        |a, v| a.load_mlir = Some(match v {
            None | Some("" | "read") => false,
            Some("lower") => true,
            Some(v) => return Err(format!("for the --load-mlir option: Cannot find option named '{v}'!")),
        });
    "verify-diagnostics" "[=all|only-expected]" "" "Check diagnostics against expected-* comments instead of printing them; =only-expected ignores the rest"
        |a, v| a.verify_diagnostics = Some(match v {
            None | Some("" | "all") => false,
            Some("only-expected") => true,
            Some(v) => return Err(format!("for the --verify-diagnostics option: Cannot find option named '{v}'!")),
        });
    "allow-unregistered-dialect" "[=true|false]" "false" "Accept operations of dialects that are not registered" |a, v| a.allow_unregistered = boolean(v)?;
    "verify-each" "[=true|false]" "true" "Verify after every pass" |a, v| a.no_verify_each = !boolean(v)?;
    "verify-roundtrip" "[=true|false]" "false" "Check that the input, printed and read again, is the same, before passes run" |a, v| a.verify_roundtrip = boolean(v)?;
    "mlir-print-op-generic" "[=true|false]" "false" "Print the generic form of every operation" |a, v| a.generic = boolean(v)?;
    "mlir-print-debuginfo" "[=true|false]" "false" "Print locations" |a, v| a.debug_info = boolean(v)?;
    "mlir-print-local-scope" "[=true|false]" "false" "Print without aliases" |a, v| a.local_scope = boolean(v)?;
    "mlir-use-nameloc-as-prefix" "[=true|false]" "false" "Call values by the names in their locations" |a, v| a.names_from_locations = boolean(v)?;
    "mlir-elide-elementsattrs-if-larger" "n" "" "Do not print dense elements of more than n elements" |a, v| a.elide_over = Some(number(v)?);
    "mlir-print-skip-regions" "[=true|false]" "false" "Print {...} in place of regions" |a, v| a.skip_regions = boolean(v)?;
    "mlir-print-ir-before" "passes" "" "Print the IR before these passes" |a, v| a.show.before.extend(names(v));
    "mlir-print-ir-after" "passes" "" "Print the IR after these passes" |a, v| a.show.after.extend(names(v));
    "mlir-print-ir-before-all" "[=true|false]" "false" "Print the IR before every pass" |a, v| a.show.before_all = boolean(v)?;
    "mlir-print-ir-after-all" "[=true|false]" "false" "Print the IR after every pass" |a, v| a.show.after_all = boolean(v)?;
    "mlir-print-ir-after-change" "[=true|false]" "false" "After a pass, print the IR only if it changed" |a, v| a.show.after_change = boolean(v)?;
    "mlir-print-ir-after-failure" "[=true|false]" "false" "Print the IR after a pass that failed, and only then" |a, v| a.show.after_failure = boolean(v)?;
    "mlir-print-ir-module-scope" "[=true|false]" "false" "Print the whole module around passes, not only what they run on" |a, v| a.show.module_scope = boolean(v)?;
    "mlir-print-ir-tree-dir" "folder" "" "Print the IR around passes into files of this folder, a folder in it for each op"
        |a, v| a.show.tree = Some(text(v)).filter(|t| !t.is_empty());
    "mlir-timing" "[=true|false]" "false" "Report the time of each pass" |a, v| a.show.timing = boolean(v)?;
    "mlir-pass-statistics" "[=true|false]" "false" "Report what each pass counted" |a, v| a.statistics = boolean(v)?;
    "mlir-pass-pipeline-crash-reproducer" "file" "" "When a pass fails, write the input and the pipeline here" |a, v| a.crash_reproducer = Some(text(v));
    "dump-pass-pipeline" "[=true|false]" "false" "Print the pipeline that will run" |a, v| a.dump_pipeline = boolean(v)?;
    "p" "pipeline" "" "As --pass-pipeline" |a, v| a.pipeline = Some(text(v));
    "pass-pipeline" "pipeline" "" "What to run: builtin.module(func.func(cse),canonicalize{top-down=true})" |a, v| a.pipeline = Some(text(v));
    "list-passes" "[=true|false]" "false" "List the passes and stop" |a, v| a.list_passes = boolean(v)?;
    "show-dialects" "[=true|false]" "false" "List the registered dialects and stop" |a, v| a.show_dialects = boolean(v)?;
    "error-limit" "n" "20" "Stop reporting after n errors; 0 for no limit" |a, v| a.error_limit = Some(number(v)?);
    "mlir-disable-threading" "[=true|false]" "false" "Accepted for compatibility: passes run on one thread" |a, v| { boolean(v)?; let _ = a; };
    "mlir-print-op-on-diagnostic" "[=true|false]" "false" "Accepted for compatibility: diagnostics show the source line instead" |a, v| { boolean(v)?; let _ = a; };
    "help" "" "" "Print this" |a, v| a.help = boolean(v)?;
    "h" "" "" "Print this" |a, v| a.help = boolean(v)?;
    "version" "" "" "Print the version" |a, v| a.version = boolean(v)?;
};

/// Read a command line (without the program's name). `is_pass` says which other
/// flags are passes or pipelines.
///
/// # Errors
///
/// A message as mlir-opt words it, for the first flag that is wrong.
pub fn parse(args: &[String], is_pass: &dyn Fn(&str) -> bool) -> Result<OptArgs, String> {
    let mut out = OptArgs {
        input: "-".into(),
        ..OptArgs::default()
    };
    let mut have_input = false;
    let mut only_files = false;
    let mut it = args.iter();
    while let Some(arg) = it.next() {
        let flag = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-'));
        let Some(flag) = flag.filter(|f| !f.is_empty() && !only_files) else {
            if arg == "--" && !only_files {
                only_files = true;
                continue;
            }
            if have_input {
                return Err(format!(
                    "Too many positional arguments specified: '{arg}' after '{}'",
                    out.input
                ));
            }
            have_input = true;
            out.input = arg.clone();
            continue;
        };
        let (name, value) = match flag.split_once('=') {
            Some((n, v)) => (n, Some(v)),
            None => (flag, None),
        };
        if let Some(f) = FLAGS.iter().find(|f| f.name == name) {
            let value = match value {
                None if f.takes_value() => match it.next() {
                    Some(v) => Some(v.as_str()),
                    None => return Err(format!("for the --{name} option: requires a value!")),
                },
                v => v,
            };
            (f.set)(&mut out, value).map_err(|e| {
                if e.starts_with("for the ") {
                    e
                } else {
                    format!("for the --{name} option: {e}")
                }
            })?;
        } else if is_pass(name) {
            out.passes
                .push((name.to_string(), value.unwrap_or("").to_string()));
        } else {
            return Err(format!("Unknown command line argument '{arg}'"));
        }
    }
    if out.pipeline.is_some() && !out.passes.is_empty() {
        return Err("'-pass-pipeline' option can't be used with individual pass options".into());
    }
    Ok(out)
}

/// The flag or pass most like `name`, where one is close.
pub fn closest<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let name = name.trim_start_matches('-');
    let best = candidates
        .map(|c| (distance(name, c), c))
        .min_by_key(|d| d.0)?;
    (best.0 <= name.len() / 3 + 1).then_some(best.1)
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let next = (diagonal + usize::from(ca != *cb))
                .min(row[j] + 1)
                .min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(args: &[&str]) -> Result<OptArgs, String> {
        let args: Vec<String> = args.iter().map(|s| s.to_string()).collect();
        parse(&args, &|n| n == "cse")
    }

    #[test]
    fn one_dash_or_two_and_values_either_way() {
        let a = read(&["-o", "x", "--cse", "-cse=a=1", "f.mlir", "-verify-each=0"]).unwrap();
        assert_eq!(a.output.as_deref(), Some("x"));
        assert_eq!(
            a.passes,
            [("cse".into(), "".into()), ("cse".into(), "a=1".into())]
        );
        assert_eq!(a.input, "f.mlir");
        assert!(a.no_verify_each);
    }

    #[test]
    fn wrong_flags_are_named() {
        assert_eq!(
            read(&["--nope"]).unwrap_err(),
            "Unknown command line argument '--nope'"
        );
        assert!(read(&["-o"]).unwrap_err().contains("requires a value"));
        assert!(
            read(&["a", "b"])
                .unwrap_err()
                .contains("Too many positional")
        );
        assert!(
            read(&["--verify-each=maybe"])
                .unwrap_err()
                .contains("boolean")
        );
        assert!(
            read(&["--cse", "--pass-pipeline=x"])
                .unwrap_err()
                .contains("can't be used")
        );
    }

    #[test]
    fn typos_find_their_flag() {
        let flags = || FLAGS.iter().map(|f| f.name);
        assert_eq!(closest("--mlir-timming", flags()), Some("mlir-timing"));
        assert_eq!(closest("--qqqqqqqqq", flags()), None);
    }
}
