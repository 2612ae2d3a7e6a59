//! Programs of tiles mean the same as the loops that `tile-expand` makes of them, in the
//! interpreter and as machine code.

#[path = "tiles/access.rs"]
mod access;
#[path = "tiles/control.rs"]
mod control;
#[path = "tiles/generate.rs"]
mod generate;
#[path = "tiles/statements.rs"]
mod statements;

use super::check::{self, Outcome};

/// Of so many programs, one runs as machine code too.
const NATIVE: u64 = 4;

/// What a program has, for a test that they have enough.
pub struct Done {
    pub text: String,
    pub native: bool,
}

/// Runs the program of a seed in all ways.
pub fn one(seed: u64) -> Result<Done, String> {
    let text = generate::program(seed);
    let show = std::env::var_os("TERRACE_RANDOM_SHOW").is_some();
    let report = |what: &str, message: &str, lowered: &str| {
        let lowered = if show { lowered } else { "" };
        format!("=== seed {seed}: {what}: {message}\n{text}\n{lowered}")
    };
    let truth = check::truth(&text).map_err(|f| report("as it stands", &f.message, ""))?;
    let pass = vec![("tile-expand".to_string(), String::new())];
    let loops = check::lowered(&text, &pass).map_err(|m| report("tile-expand", &m, ""))?;
    if let Some(op) = loops.lines().find(|l| l.contains("tile.")) {
        return Err(report("tile-expand", &format!("leaves {op}"), &loops));
    }
    let same = |what: &str, outcome: Result<Outcome, check::Failure>| {
        let outcome = outcome.map_err(|f| report(what, &f.message, &loops))?;
        check::same(&outcome, &truth).map_err(|m| report(what, &m, &loops))
    };
    same("loops", check::guarded(|| check::interpret(&text, &loops)))?;
    let native = seed.is_multiple_of(NATIVE);
    if native {
        same(
            "machine code",
            check::guarded(|| check::native(&text, &loops)),
        )?;
    }
    Ok(Done { text, native })
}
