//! Dependences against brute force: random small programs are run, all pairs of
//! accesses to the same element are enumerated, and the relations found by the
//! analysis must hold these pairs and, where they claim to be exact, no others.
//!
//! `TERRACE_DEPENDENCE_COUNT` programs from the seed `TERRACE_DEPENDENCE_SEED` on; a
//! failure prints its seed and the program.

mod compare;
mod execute;
mod generate;

use compare::Tally;

/// Programs where the environment names no number.
const COUNT: u64 = 100;

fn number(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(v) => v
            .parse()
            .unwrap_or_else(|_| panic!("{name}={v} is not a number")),
        Err(_) => otherwise,
    }
}

#[test]
fn agree_with_enumeration() {
    let first = number("TERRACE_DEPENDENCE_SEED", 0);
    let count = number("TERRACE_DEPENDENCE_COUNT", COUNT);
    let mut tally = Tally::default();
    for seed in first..first + count {
        let p = generate::generate(seed);
        if let Err(what) = compare::check(&p, &mut tally) {
            panic!("seed {seed}, sizes {:?}: {what}\n{}", p.sizes, p.text);
        }
    }
    println!("{tally}");
    // The programs must be worth the name: most relations exact, many not empty.
    assert!(tally.dependences as u64 > count, "{tally}");
    assert!(tally.exact * 10 >= tally.dependences * 7, "{tally}");
}
