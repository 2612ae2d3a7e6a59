//! `terrace manual`: a page for each tool and each subcommand.

use super::commands::TOOLS;
use clap::Command;
use clap_mangen::Man;
use std::io::Result;
use std::path::{Path, PathBuf};
use terrace::ir::pass::write_atomically;
use terrace::opt::Outcome;

/// Exit codes: 0 ok, 1 a page cannot be written, 2 the command line is wrong.
#[derive(clap::Args)]
pub struct Args {
    /// The folder to write to, which is made
    folder: PathBuf,
}

pub fn main(a: Args) -> Outcome {
    let written = std::fs::create_dir_all(&a.folder).and_then(|()| {
        TOOLS.iter().try_for_each(|tool| {
            let mut command = tool.command().disable_help_subcommand(true);
            command.build();
            write(&command, &a.folder)
        })
    });
    match written {
        Ok(()) => Outcome::default(),
        Err(e) => {
            let e = e.to_string();
            let e = e.split(" (os error").next().unwrap_or(&e);
            let place = a.folder.display();
            Outcome {
                code: 1,
                stderr: format!("error: cannot write the manual to '{place}': {e}\n"),
                ..Outcome::default()
            }
        }
    }
}

/// The page of a command, and those of its subcommands.
fn write(command: &Command, folder: &Path) -> Result<()> {
    for sub in command.get_subcommands().filter(|s| !s.is_hide_set()) {
        write(sub, folder)?;
    }
    let source = concat!("terrace ", env!("CARGO_PKG_VERSION"));
    let page = Man::new(command.clone()).manual("terrace").source(source);
    let mut text = Vec::new();
    page.render(&mut text)?;
    write_atomically(&folder.join(page.get_filename()), text)
}
