//! The rows of the table of arrays: a line `work n seconds check` for each, the median of several
//! calls after a warm-up. `benches/array/run.sh` runs it beside its peers and puts the lines
//! together. `array_table N [WORK]` leaves out what has more than `N` elements.

mod five_points;

use five_points::five_points;
use std::time::{Duration, Instant};
use steps::euler;
use terrace::array::{Array, ArrayError, Complex, Context, fft, index, max, min, philox, sum};

/// The median time of a call, in seconds, of at least 5 calls and half a second of them. `before`
/// is not counted.
fn median(
    mut before: impl FnMut() -> Result<(), ArrayError>,
    mut f: impl FnMut() -> Result<(), ArrayError>,
) -> Result<f64, ArrayError> {
    before()?;
    f()?;
    let begun = Instant::now();
    let mut times = Vec::new();
    while times.len() < 5 || begun.elapsed() < Duration::from_millis(500) && times.len() < 10_000 {
        before()?;
        let start = Instant::now();
        f()?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

struct Table {
    cx: Context,
    most: usize,
    only: Option<String>,
}

/// A few elements of a result, each times a number of its own: what peers must have too.
fn check(z: &Array<f64>) -> Result<f64, ArrayError> {
    let n = z.len();
    let picked = (1..=16usize).map(|k| {
        let at = (k * 2_654_435_761) % n;
        Ok(z.range(at..at + 1).to_vec()?[0] * (1.0 + 0.125 * k as f64))
    });
    picked.sum()
}

fn row(work: &str, n: usize, seconds: f64, check: f64) {
    println!("{work} {n} {seconds:e} {check:e}");
}

impl Table {
    fn asked(&self, work: &str, n: usize) -> bool {
        n <= self.most && self.only.as_deref().is_none_or(|o| work.contains(o))
    }

    /// An array of numbers that repeat, as peers make them.
    fn numbers(&self, n: usize, by: i64) -> Result<Array<f64>, ArrayError> {
        let x = self.cx.zeros::<f64>(&[n])?;
        x.set((index(0) * by % 1000).cast::<f64>() * 0.01 + 0.5)?;
        Ok(x)
    }

    /// Squares of such numbers, whose differences are not all equal.
    fn squares(&self, n: usize) -> Result<Array<f64>, ArrayError> {
        let x = self.numbers(n, 7)?;
        x.set(&x * &x)?;
        Ok(x)
    }

    /// Integers without an order: the lower half of products, as peers make them.
    fn mixed(&self, n: usize) -> Result<Array<u32>, ArrayError> {
        let k = self.cx.zeros::<u32>(&[n])?;
        let i = index(0).cast::<u32>() + 1;
        let first = (&i ^ (&i >> 15)) * 0x2c1b_3c6d;
        let second = (&first ^ (&first >> 12)) * 0x297a_2d39;
        k.set(&second ^ (&second >> 15))?;
        Ok(k)
    }

    fn elementwise(&self, n: usize) -> Result<(), ArrayError> {
        if n > self.most {
            return Ok(());
        }
        let nothing = || Ok(());
        let z = self.cx.zeros::<f64>(&[n])?;
        let (x, y) = (self.numbers(n, 1)?, self.numbers(n, 7)?);
        if self.asked("2y-sin", n) {
            let t = median(nothing, || z.set(2.0 * &y - x.sin()))?;
            row("2y-sin", n, t, check(&z)?);
        }
        if self.asked("ax+by+cz", n) {
            let w = self.numbers(n, 3)?;
            let t = median(nothing, || z.set(2.0 * &x + 3.0 * &y + 0.5 * &w))?;
            row("ax+by+cz", n, t, check(&z)?);
        }
        if self.asked("copy", n) {
            let t = median(nothing, || z.set(&x))?;
            row("copy", n, t, check(&z)?);
        }
        Ok(())
    }

    fn reductions(&self, n: usize) -> Result<(), ArrayError> {
        if !self.asked("dot,min,max", n) {
            return Ok(());
        }
        let (x, y) = (self.numbers(n, 1)?, self.numbers(n, 7)?);
        let mut found = (0.0, 0.0, 0.0);
        let all = || (sum(&x * &y), min(&x), max(&x));
        let t = median(
            || Ok(()),
            || {
                found = self.cx.reduce(all())?;
                Ok(())
            },
        )?;
        row("dot,min,max", n, t, found.0 + found.1 + found.2);
        Ok(())
    }

    fn scans(&self, n: usize) -> Result<(), ArrayError> {
        let nothing = || Ok(());
        let (x, z) = (self.numbers(n, 1)?, self.cx.zeros::<f64>(&[n])?);
        if self.asked("scan", n) {
            let t = median(nothing, || z.set_scan(sum(&x), 0))?;
            row("scan", n, t, check(&z)?);
        }
        if self.asked("scan-by-key", n) {
            let keys = self.cx.zeros::<u32>(&[n])?;
            keys.set((index(0) / 10).cast::<u32>())?;
            let t = median(nothing, || z.set_scan_by_key(&keys, sum(&x), 0))?;
            row("scan-by-key", n, t, check(&z)?);
        }
        Ok(())
    }

    fn sorts(&self, n: usize) -> Result<(), ArrayError> {
        let mixed = self.mixed(n)?;
        let wide = self.cx.zeros::<f64>(&[n])?;
        if self.asked("sort-u32", n) {
            let k = self.cx.zeros::<u32>(&[n])?;
            let t = median(|| k.set(&mixed), || k.sort())?;
            wide.set(k.cast())?;
            row("sort-u32", n, t, check(&wide)?);
        }
        if self.asked("sort-f64", n) {
            let k = self.cx.zeros::<f64>(&[n])?;
            let source = || mixed.cast::<f64>() * 1e-3 - 1e6;
            let t = median(|| k.set(source()), || k.sort())?;
            row("sort-f64", n, t, check(&k)?);
        }
        if self.asked("sort-pairs", n) {
            let k = self.cx.zeros::<u32>(&[n])?;
            k.set(&mixed >> 8)?;
            let v = self.cx.zeros::<u32>(&[n])?;
            let number = || v.set(index(0).cast());
            let t = median(number, || v.sort_by_key(&k))?;
            wide.set(v.cast())?;
            row("sort-pairs", n, t, check(&wide)?);
        }
        Ok(())
    }

    fn products(&self, side: usize) -> Result<(), ArrayError> {
        let n = side * side;
        let nothing = || Ok(());
        if self.asked("spmv-5-points", n) {
            let (offsets, columns, values) = five_points(side);
            let a = self.cx.csr([n, n], &offsets, &columns, &values)?;
            let (x, z) = (self.squares(n)?, self.cx.zeros::<f64>(&[n])?);
            let t = median(nothing, || z.set(a.mul(&x)))?;
            row("spmv-5-points", n, t, check(&z)?);
        }
        if self.asked("spmv-power-law", n / 4) {
            let n = n / 4;
            let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
            for i in 0..n {
                // Few rows are long.
                let turned = (i as u64 * 2_654_435_761 % n as u64) as usize;
                let length = (2 + n / 16 / (1 + turned)).min(n);
                for k in 0..length {
                    let c = (i as u64 + 31 * k as u64).wrapping_mul(2_654_435_761) % n as u64;
                    columns.push(c as u32);
                    values.push(1.0 + (k % 5) as f64 * 0.25);
                }
                offsets.push(columns.len());
            }
            let a = self.cx.csr([n, n], &offsets, &columns, &values)?;
            let (x, z) = (self.squares(n)?, self.cx.zeros::<f64>(&[n])?);
            let t = median(nothing, || z.set(a.mul(&x)))?;
            row("spmv-power-law", n, t, check(&z)?);
        }
        Ok(())
    }

    /// The magnitudes of a transform of an expression.
    fn transforms(&self, work: &str, sizes: &[usize]) -> Result<(), ArrayError> {
        let n = sizes.iter().product();
        if !self.asked(work, n) {
            return Ok(());
        }
        let x = self.numbers(n, 7)?;
        let z = self.cx.zeros::<Complex<f64>>(&[n])?;
        z.set(terrace::array::complex(&x, self.numbers(n, 3)?))?;
        let (z, out) = (z.reshaped(sizes), self.cx.zeros::<f64>(sizes)?);
        let scaled = || Complex::new(0.5, 0.0) * &z + Complex::new(1.0, 0.0);
        let t = median(|| Ok(()), || out.set(fft(scaled()).norm_sqr()))?;
        row(work, n, t, check(&out.reshaped(&[n]))?);
        Ok(())
    }

    fn random(&self, n: usize) -> Result<(), ArrayError> {
        if !self.asked("random", n) {
            return Ok(());
        }
        let z = self.cx.zeros::<f64>(&[n / 2, 2])?;
        let (first, second) = (z.index_axis(1, 0), z.index_axis(1, 1));
        let t = median(
            || Ok(()),
            || {
                let [u, v] = philox(7u64, index(0).cast::<u64>()).uniform();
                self.cx.assign((first.to(u), second.to(v)))
            },
        )?;
        // Peers have other numbers: their mean is the same.
        row("random", n, t, self.cx.reduce(sum(&z))? / n as f64);
        Ok(())
    }

    fn ensemble(&self, n: usize, steps: u64) -> Result<(), ArrayError> {
        if !self.asked("lorenz", n) {
            return Ok(());
        }
        let r = self.cx.zeros::<f64>(&[n])?;
        r.set((index(0) % 100).cast::<f64>() * 0.2 + 0.5)?;
        let all = || {
            Ok::<_, ArrayError>([
                self.numbers(n, 1)?,
                self.numbers(n, 1)?,
                self.numbers(n, 1)?,
            ])
        };
        let step = self.cx.record(euler)?;
        // The same bits as the same function of numbers.
        let [x, y, z] = all()?;
        step.repeat(500).run([&x, &y, &z], [&r])?;
        let (found, start, rs) = (z.to_vec()?, self.numbers(n, 1)?.to_vec()?, r.to_vec()?);
        for i in [0, n / 3, n - 1] {
            let mut s = [start[i]; 3];
            for _ in 0..500 {
                s = euler(s, [rs[i]]);
            }
            assert_eq!(
                s[2].to_bits(),
                found[i].to_bits(),
                "500 steps of system {i}"
            );
        }
        let begun = Instant::now();
        let [x, y, z] = all()?;
        step.repeat(steps).run([&x, &y, &z], [&r])?;
        let first = begun.elapsed();
        let begun = Instant::now();
        step.repeat(steps).run([&x, &y, &z], [&r])?;
        let t = begun.elapsed().min(first).as_secs_f64();
        let [x, y, z] = all()?;
        step.repeat(500).run([&x, &y, &z], [&r])?;
        row(&format!("lorenz-{steps}"), n, t, check(&z)?);
        let few = steps.min(200);
        let one = median(|| Ok(()), || step.repeat(1).run([&x, &y, &z], [&r]))?;
        row(
            &format!("lorenz-step-by-step-{steps}"),
            n,
            one * steps as f64,
            few as f64,
        );
        Ok(())
    }
}

mod steps {
    use terrace::array::Real;

    /// A step by Euler's method.
    pub fn euler<R: Real>([x, y, z]: [R; 3], [r]: [R; 1]) -> [R; 3] {
        let h = || R::number(1e-3);
        let dx = R::number(10.0) * (y.clone() - x.clone());
        let dy = x.clone() * (r - z.clone()) - y.clone();
        let dz = x.clone() * y.clone() - R::number(8.0 / 3.0) * z.clone();
        [x + h() * dx, y + h() * dy, z + h() * dz]
    }
}

fn main() -> Result<(), ArrayError> {
    let mut args = std::env::args().skip(1);
    let most = args.next().and_then(|a| a.parse().ok());
    let table = Table {
        cx: Context::from_environment()?,
        most: most.unwrap_or(usize::MAX),
        only: args.next(),
    };
    eprintln!("on {}", table.cx.place());
    for n in [1 << 16, 1 << 20, 1 << 27] {
        table.elementwise(n)?;
    }
    table.reductions(1 << 27)?;
    for n in [1 << 20, 1 << 27] {
        if n <= table.most {
            table.scans(n)?;
            table.sorts(n)?;
        }
    }
    table.products(4096.min(table.most.isqrt()))?;
    table.transforms("fft-2^24", &[1 << 24])?;
    table.transforms("fft-4096^2", &[4096, 4096])?;
    table.transforms("fft-1000003", &[1_000_003])?;
    table.random(1 << 28)?;
    match table.cx.place().starts_with("gpu") {
        true => table.ensemble(1 << 20, 100_000)?,
        false => table.ensemble((1 << 14).min(table.most), 10_000)?,
    }
    Ok(())
}
