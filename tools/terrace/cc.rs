//! `terrace cc`.

use std::ffi::OsString;
use std::io::Write;
use terrace::c::driver::help::OPTIONS;
use terrace::c::driver::runtime::Runtime;

/// The system's C compiler, with regions compiled for GPUs and threads. All other options
/// are the compiler's own; it is $TERRACE_HOST_CC, or $CC, or cc.
#[derive(clap::Args)]
#[command(disable_help_flag = true, after_help = OPTIONS)]
pub struct Args {
    /// As for the C compiler
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    args: Vec<OsString>,
}

pub fn main(a: Args) -> i32 {
    run(&a.args)
}

/// The driver with these arguments, its messages on standard error.
pub fn run(args: &[OsString]) -> i32 {
    terrace::c::driver::main(args, runtime(), &mut |text| {
        // There is no one to tell that nobody listens.
        let _ = std::io::stderr().write_all(text.as_bytes());
    })
}

/// The archive that programs are linked with, which this executable carries.
pub fn runtime() -> Option<Runtime> {
    terrace_embed::runtime!().map(|(bytes, name)| Runtime { bytes, name })
}
