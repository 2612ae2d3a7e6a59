//! Writes what fuzzing begins with into `fuzz/corpus`: the project's tests, in pieces, and
//! the inputs that are kept below `test/fuzz_corpus`.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::Path;
use terrace_fuzz::{seeds::seeds, targets::TARGETS};

fn main() -> std::io::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (target, _) in TARGETS {
        let folder = here.join("corpus").join(target);
        std::fs::create_dir_all(&folder)?;
        let mut inputs = seeds(target);
        for kept in std::fs::read_dir(here.join("../test/fuzz_corpus").join(target))? {
            inputs.push(std::fs::read(kept?.path())?);
        }
        for input in &inputs {
            let mut hash = DefaultHasher::new();
            input.hash(&mut hash);
            std::fs::write(folder.join(format!("{:016x}", hash.finish())), input)?;
        }
        println!("{target}: {} inputs", inputs.len());
    }
    Ok(())
}
