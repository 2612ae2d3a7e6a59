//! The options of C compilers, as far as the driver has to know them: which take a value,
//! and which step they are for.

use super::command_line::For;

/// Options whose value is the next word, or what follows in the same one.
pub(super) const JOINED_OR_NEXT: &[(&str, For)] = &[
    ("-o", For::Driver),
    ("-x", For::Driver),
    ("-D", For::Preprocessor),
    ("-U", For::Preprocessor),
    ("-I", For::Preprocessor),
    ("-A", For::Preprocessor),
    ("-isystem", For::Preprocessor),
    ("-iquote", For::Preprocessor),
    ("-idirafter", For::Preprocessor),
    ("-include", For::Preprocessor),
    ("-imacros", For::Preprocessor),
    ("-iprefix", For::Preprocessor),
    ("-iwithprefixbefore", For::Preprocessor),
    ("-iwithprefix", For::Preprocessor),
    ("-isysroot", For::Preprocessor),
    ("-imultilib", For::Preprocessor),
    ("-MF", For::Dependencies),
    ("-MT", For::Dependencies),
    ("-MQ", For::Dependencies),
    ("-MJ", For::Dependencies),
    ("-L", For::Linker),
    ("-l", For::Linker),
    ("-T", For::Linker),
    ("-u", For::Linker),
    ("-z", For::Linker),
    ("-e", For::Linker),
    ("-B", For::Compiler),
];

/// Options whose value is the next word only.
pub(super) const NEXT: &[(&str, For)] = &[
    ("-Xlinker", For::Linker),
    ("-Xpreprocessor", For::Preprocessor),
    ("-Xassembler", For::Compiler),
    ("-Xclang", For::Compiler),
    ("-mllvm", For::Compiler),
    ("-aux-info", For::Driver),
    ("-wrapper", For::Compiler),
    ("-arch", For::Compiler),
    ("-target", For::Compiler),
    ("-dumpbase", For::Driver),
    ("-dumpbase-ext", For::Driver),
    ("-dumpdir", For::Driver),
    ("-framework", For::Linker),
    ("-install_name", For::Linker),
    ("-Tbss", For::Linker),
    ("-Tdata", For::Linker),
    ("-Ttext", For::Linker),
    ("--param", For::Compiler),
    ("--sysroot", For::Compiler),
    ("-G", For::Compiler),
];

/// Options that begin with a letter of [`JOINED_OR_NEXT`] and are none of those.
pub(super) const WHOLE: &[(&str, For)] = &[
    ("-export-dynamic", For::Linker),
    ("-undef", For::Preprocessor),
];

/// Options without a value, or with the value in the same word, by how they begin.
pub(super) const PREFIXES: &[(&str, For)] = &[
    ("-Wp,", For::Preprocessor),
    ("-Wl,", For::Linker),
    ("-MD", For::Dependencies),
    ("-MMD", For::Dependencies),
    ("-MP", For::Dependencies),
    ("-MG", For::Dependencies),
    ("-nostdinc", For::Preprocessor),
    ("-shared", For::Linker),
    ("-static", For::Linker),
    ("-nostdlib", For::Linker),
    ("-nodefaultlibs", For::Linker),
    ("-nostartfiles", For::Linker),
    ("-nolibc", For::Linker),
    ("-no-pie", For::Linker),
    ("-pie", For::Linker),
    ("-rdynamic", For::Linker),
    ("-fuse-ld=", For::Linker),
    ("-symbolic", For::Linker),
    ("-save-temps", For::Driver),
    ("--save-temps", For::Driver),
];

/// Words that make a command line a question.
pub(super) const QUERIES: &[&str] = &[
    "--version",
    "--help",
    "--help=",
    "--target-help",
    "-###",
    "-dumpmachine",
    "-dumpversion",
    "-dumpfullversion",
    "-dumpspecs",
    "-print-",
    "--print-",
];
