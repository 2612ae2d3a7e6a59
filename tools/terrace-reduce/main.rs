//! `terrace-reduce`: modules that show something, made small.

mod args;

use args::Args;
use clap::Parser;
use terrace::opt::Outcome;
use terrace::reduce::{Options, run};

fn main() {
    terrace_support::unfinished::install();
    terrace::progress::on_terminal();
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(e) if e.use_stderr() => e.exit(),
        Err(help) => {
            let shown = Outcome {
                stdout: help.render().to_string(),
                ..Outcome::default()
            };
            shown.write_and_exit()
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let options = Options {
        file: args.file,
        test: args.test,
        output: args.output.filter(|o| o != "-"),
        jobs: args.jobs.unwrap_or(cores),
        timeout: args.timeout,
        max_tests: args.max_tests,
        allow_unregistered: args.allow_unregistered_dialect,
    };
    let show = args.progress;
    run(&options, &mut |line| {
        if show {
            terrace::progress::say(line);
        }
    })
    .write_and_exit();
}
