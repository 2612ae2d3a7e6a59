//! `--approximate`: holds the machine's approximations against what is stated of them.

use super::claims::{CLAIMS, Claim, Measure};
use super::functions::{FUNCTIONS, Function};
use super::{Buffers, CHUNK, Gpu, Options, Piece, argument, evaluate, pieces};
use terrace::runtime::device::{Device, DeviceError, DevicePtr};

/// What was seen of one claim.
#[derive(Clone, Copy, Default)]
struct Seen {
    values: u64,
    /// The largest error, and its arguments.
    worst: f64,
    at: (f64, f64),
    /// Above the bound, and the arguments where it is exceeded by the largest factor.
    beyond: u64,
    excess: f64,
    excess_at: (f64, f64),
    /// Where one is NaN, infinite or a zero and the other is not; and the arguments of
    /// the first.
    special: u64,
    special_at: (f64, f64),
}

impl Seen {
    fn add(&mut self, o: &Seen) {
        if o.worst > self.worst {
            (self.worst, self.at) = (o.worst, o.at);
        }
        if o.excess > self.excess {
            (self.excess, self.excess_at) = (o.excess, o.excess_at);
        }
        if self.special == 0 {
            self.special_at = o.special_at;
        }
        self.values += o.values;
        self.beyond += o.beyond;
        self.special += o.special;
    }

    fn note(&mut self, claim: &Claim, args: (f64, f64), got: f32, want: f64) {
        self.values += 1;
        let Some(error) = claim.error(got, want) else {
            if self.special == 0 {
                self.special_at = args;
            }
            self.special += 1;
            return;
        };
        if error > self.worst {
            (self.worst, self.at) = (error, args);
        }
        let Some(bound) = claim.bound.map(|b| b(args.0, args.1)) else {
            return;
        };
        if error > bound {
            self.beyond += 1;
            let excess = error / bound;
            if excess > self.excess {
                (self.excess, self.excess_at) = (excess, args);
            }
        }
    }
}

/// Measures all claims about the chosen functions, and prints a line for each. True if
/// all of them hold.
pub fn run(device: &dyn Device, memory: [DevicePtr; 3], o: &Options) -> Result<bool, DeviceError> {
    let mut all_hold = true;
    let alike = |a: &Claim, b: &Claim| a.function == b.function && a.flags == b.flags;
    for claims in CLAIMS.chunk_by(alike) {
        let (name, flags) = (claims[0].function, claims[0].flags);
        if !o.names.is_empty() && !o.names.iter().any(|n| n == name) {
            continue;
        }
        let Some(f) = FUNCTIONS.iter().find(|f| f.name == name) else {
            continue;
        };
        let seen = measured(device, memory, o, f, flags, claims)?;
        for (claim, seen) in claims.iter().zip(seen) {
            if claim.instead.is_some() && o.target == "emulator" {
                continue;
            }
            print(f, claim, &seen);
            all_hold &= seen.beyond == 0;
        }
    }
    Ok(all_hold)
}

fn measured(
    device: &dyn Device,
    memory: [DevicePtr; 3],
    o: &Options,
    f: &Function,
    flags: &str,
    claims: &[Claim],
) -> Result<Vec<Seen>, DeviceError> {
    let mut gpu = Gpu::new(device, f, memory, Some(flags))?;
    let mut total = vec![Seen::default(); claims.len()];
    let mut b = Buffers::default();
    for piece in pieces(f, o, CHUNK) {
        if matches!(piece, Piece::Doubles { .. }) {
            continue;
        }
        evaluate(&mut gpu, f, o, piece, &mut b)?;
        let n = b.r32.len();
        let step = n.div_ceil(o.threads);
        let parts = std::thread::scope(|s| {
            let b = &b;
            let running: Vec<_> = (0..o.threads)
                .map(|t| {
                    let part = (t * step).min(n)..((t + 1) * step).min(n);
                    s.spawn(move || compared(f, o, piece, b, part, claims))
                })
                .collect();
            running
                .into_iter()
                .filter_map(|thread| thread.join().ok())
                .collect::<Vec<_>>()
        });
        for part in parts {
            total.iter_mut().zip(&part).for_each(|(t, p)| t.add(p));
        }
    }
    Ok(total)
}

fn compared(
    f: &Function,
    o: &Options,
    piece: Piece,
    b: &Buffers,
    part: std::ops::Range<usize>,
    claims: &[Claim],
) -> Vec<Seen> {
    let mut seen = vec![Seen::default(); claims.len()];
    for i in part {
        let (x, y) = argument(o, piece, b, i);
        for (claim, seen) in claims.iter().zip(&mut seen) {
            if (claim.holds)(x, y) {
                let want = claim.instead.map_or_else(|| f.of(x, y), |g| g(x, y));
                seen.note(claim, (x, y), b.r32[i], want);
            }
        }
    }
    seen
}

fn print(f: &Function, claim: &Claim, seen: &Seen) {
    let args = |(x, y): (f64, f64)| match f.is_binary() {
        true => format!("{x:e}, {y:e}"),
        false => format!("{x:e}"),
    };
    let size = |v: f64| match claim.measure {
        _ if v == 0.0 => "0".to_string(),
        Measure::Units => format!("{v:.4} ulp"),
        Measure::Absolute => format!("2^{:.2}", v.log2()),
        Measure::Relative => format!("2^{:.2} of the value", v.log2()),
    };
    let mut line = format!(
        "{:10} {:5} {:16} {}: {} values, at most {}",
        f.name,
        claim.flags,
        claim.ptx,
        claim.range,
        seen.values,
        size(seen.worst)
    );
    if seen.worst > 0.0 {
        line.push_str(&format!(" at {}", args(seen.at)));
    }
    match claim.bound {
        None => line.push_str("; nothing stated"),
        Some(_) if seen.beyond == 0 => line.push_str("; as stated"),
        Some(bound) => {
            let (x, y) = seen.excess_at;
            line.push_str(&format!(
                "; NOT as stated: {} beyond, such as {} where {} is stated",
                seen.beyond,
                args((x, y)),
                size(bound(x, y))
            ));
        }
    }
    if seen.special > 0 {
        let first = args(seen.special_at);
        line.push_str(&format!("; {} special, first at {first}", seen.special));
    }
    println!("{line}");
}
