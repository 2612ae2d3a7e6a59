//! The kernels of `Inputs/cuda/corpus.cu`: what each must compute, done here.

use super::Call;
use super::common::Device;

/// Values that look like any.
fn mixed(n: u32) -> Vec<u32> {
    let mut v = 0x1234_5678u32;
    (0..n)
        .map(|_| {
            v ^= v << 13;
            v ^= v >> 17;
            v ^= v << 5;
            v
        })
        .collect()
}

impl Device {
    fn array<T, const N: usize>(&self, values: &[T], bytes: fn(&T) -> [u8; N]) -> u64 {
        let all: Vec<u8> = values.iter().flat_map(bytes).collect();
        let at = self.memory.alloc(all.len() as u64).unwrap();
        self.memory.write(at, &all).unwrap();
        at
    }

    pub fn f32s(&self, values: &[f32]) -> u64 {
        self.array(values, |v| v.to_le_bytes())
    }

    fn f64s(&self, values: &[f64]) -> u64 {
        self.array(values, |v| v.to_le_bytes())
    }

    pub fn fresh(&self, bytes: usize) -> u64 {
        self.memory.alloc(bytes as u64).unwrap()
    }

    pub fn read_f32s(&self, at: u64, n: usize) -> Vec<f32> {
        self.read_u32s(at, n)
            .into_iter()
            .map(f32::from_bits)
            .collect()
    }

    fn read_u64s(&self, at: u64, n: usize) -> Vec<u64> {
        let words = self.read_u32s(at, 2 * n);
        words
            .chunks(2)
            .map(|w| u64::from(w[1]) << 32 | u64::from(w[0]))
            .collect()
    }

    fn read_f64s(&self, at: u64, n: usize) -> Vec<f64> {
        self.read_u64s(at, n)
            .into_iter()
            .map(f64::from_bits)
            .collect()
    }
}

type Check = fn(&Device);

/// Every kernel of the corpus.
pub const KERNELS: [(&str, Check); 21] = [
    ("saxpy", saxpy),
    ("dot", dot),
    ("transpose", transpose),
    ("histogram", histogram),
    ("scan", scan),
    ("collatz", collatz),
    ("bitonic", bitonic),
    ("mandelbrot", mandelbrot),
    ("gcds", gcds),
    ("choose", choose),
    ("inside", inside),
    ("blur", blur),
    ("bits", bits),
    ("digits", digits),
    ("doubles", doubles),
    ("functions", functions),
    ("vectors", vectors),
    ("last_block", last_block),
    ("largest", largest),
    ("votes", votes),
    ("strings", strings),
];

fn saxpy(d: &Device) {
    let n = 1000;
    let x: Vec<f32> = (0..n).map(|i| i as f32 * 0.37).collect();
    let y: Vec<f32> = (0..n).map(|i| 5.0 - i as f32).collect();
    let (dx, dy) = (d.f32s(&x), d.f32s(&y));
    let call = Call::new(d, "saxpy").int(n as u32).float(1.7);
    call.array(dx).array(dy).run([8, 1, 1], [128, 1, 1]);
    // Contracted, or for a debugger in two roundings.
    let fused: Vec<f32> = x
        .iter()
        .zip(&y)
        .map(|(x, y)| 1.7f32.mul_add(*x, *y))
        .collect();
    let apart: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 1.7f32 * x + y).collect();
    let got = d.read_f32s(dy, n);
    assert!(got == fused || got == apart);
}

fn dot(d: &Device) {
    let n = 5000;
    // Whole numbers: any order of sums is exact.
    let x: Vec<f64> = (0..n).map(|i| f64::from(i % 17)).collect();
    let y: Vec<f64> = (0..n).map(|i| f64::from(i % 23) - 11.0).collect();
    let out = d.f64s(&[0.5]);
    let call = Call::new(d, "dot").int(n as u32);
    call.array(d.f64s(&x))
        .array(d.f64s(&y))
        .array(out)
        .run([7, 1, 1], [256, 1, 1]);
    let want: f64 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
    assert_eq!(d.read_f64s(out, 1), [want + 0.5]);
}

fn transpose(d: &Device) {
    let n = 64;
    let a: Vec<u32> = (0..n * n).collect();
    let (da, db) = (d.u32s(&a), d.fresh(4 * a.len()));
    let call = Call::new(d, "transpose").int(n).array(da).array(db);
    let outcome = call.run([2, 2, 1], [32, 8, 1]);
    let want: Vec<u32> = (0..n * n).map(|i| i % n * n + i / n).collect();
    assert_eq!(d.read_u32s(db, a.len()), want);
    assert_eq!(outcome.counts.shared_loads.conflicts, 0);
}

fn histogram(d: &Device) {
    let data: Vec<u8> = mixed(3000).iter().map(|v| (v >> 9) as u8 & 0x7f).collect();
    let bins = d.u32s(&[1; 256]);
    let call = Call::new(d, "histogram").int(3000);
    call.array(d.array(&data, |v| [*v]))
        .array(bins)
        .run([3, 1, 1], [128, 1, 1]);
    let mut want = [1; 256];
    data.iter().for_each(|v| want[usize::from(*v)] += 1);
    assert_eq!(d.read_u32s(bins, 256), want);
}

fn scan(d: &Device) {
    let data = mixed(512);
    let out = d.fresh(4 * 512);
    let call = Call::new(d, "scan").array(d.u32s(&data)).array(out);
    call.run_with([2, 1, 1], [256, 1, 1], 8 * 4);
    let sums = |part: &[u32]| -> Vec<u32> {
        part.iter()
            .scan(0u32, |s, v| {
                *s = s.wrapping_add(*v);
                Some(*s)
            })
            .collect()
    };
    assert_eq!(
        d.read_u32s(out, 512),
        [sums(&data[..256]), sums(&data[256..])].concat()
    );
}

fn collatz(d: &Device) {
    let out = d.fresh(8 * 96);
    Call::new(d, "collatz")
        .array(out)
        .run([3, 1, 1], [32, 1, 1]);
    let steps = |mut n: u64| {
        let mut s = 0;
        while n != 1 {
            n = if n % 2 == 1 { 3 * n + 1 } else { n / 2 };
            s += 1;
        }
        s
    };
    assert_eq!(
        d.read_u64s(out, 96),
        (1..=96).map(steps).collect::<Vec<u64>>()
    );
}

fn bitonic(d: &Device) {
    let mut data = mixed(256);
    let at = d.u32s(&data);
    Call::new(d, "bitonic")
        .array(at)
        .run([1, 1, 1], [256, 1, 1]);
    data.sort_by_key(|v| *v as i32);
    assert_eq!(d.read_u32s(at, 256), data);
}

fn mandelbrot(d: &Device) {
    let n = 24u32;
    let out = d.fresh(4 * (n * n) as usize);
    Call::new(d, "mandelbrot")
        .int(n)
        .array(out)
        .run([5, 1, 1], [128, 1, 1]);
    let escape = |i: u32| {
        let at = |v: u32, from: f32| 3.0f32 * v as f32 / n as f32 + from;
        let (cx, cy) = (at(i % n, -2.0), at(i / n, -1.5));
        let (mut x, mut y) = (0f32, 0f32);
        for k in 0..100 {
            let (xx, yy) = (x * x, y * y);
            if xx + yy > 4.0 {
                return k;
            }
            y = 2.0 * x * y + cy;
            x = xx - yy + cx;
        }
        100
    };
    assert_eq!(
        d.read_u32s(out, (n * n) as usize),
        (0..n * n).map(escape).collect::<Vec<_>>()
    );
}

fn gcds(d: &Device) {
    let a: Vec<u32> = mixed(64).iter().map(|v| v % 5000 * 6).collect();
    let b: Vec<u32> = mixed(128)[64..].iter().map(|v| v % 300 * 10).collect();
    let out = d.fresh(4 * 64);
    let call = Call::new(d, "gcds")
        .array(d.u32s(&a))
        .array(d.u32s(&b))
        .array(out);
    call.run([2, 1, 1], [32, 1, 1]);
    let gcd = |mut a: u32, mut b: u32| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let want = |i: usize| {
        if i.is_multiple_of(3) {
            0
        } else {
            gcd(a[i], b[i])
        }
    };
    assert_eq!(d.read_u32s(out, 64), (0..64).map(want).collect::<Vec<_>>());
}

fn choose(d: &Device) {
    let op: Vec<u32> = (0..96).map(|i| i % 11).collect();
    let a = mixed(96);
    let out = d.u32s(&[9; 96]);
    let call = Call::new(d, "choose")
        .array(d.u32s(&op))
        .array(d.u32s(&a))
        .array(out);
    call.run([3, 1, 1], [32, 1, 1]);
    let want = |i: usize| {
        let v = a[i] as i32;
        let r = match op[i] {
            0 => v.wrapping_add(7),
            1 => v.wrapping_mul(3),
            2 => v.wrapping_neg(),
            3 => (v ^ 0x55) << 2,
            4 => v << 2,
            5 => v.wrapping_mul(v),
            6 => v / 5,
            7 => v % 9,
            8 => 9,
            _ => 1000,
        };
        r as u32
    };
    assert_eq!(d.read_u32s(out, 96), (0..96).map(want).collect::<Vec<_>>());
}

fn inside(d: &Device) {
    let x: Vec<f64> = (0..40).map(|i| f64::from(i) * 0.1).collect();
    let y: Vec<f64> = (0..40).map(|i| 4.0 - f64::from(i) * 0.1).collect();
    let out = d.u32s(&[8; 40]);
    let mut b: Vec<u8> = [1.0f64, 0.5, 3.0, 2.5]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    b.extend(37u32.to_le_bytes());
    b.extend([3, 0, 0, 0]);
    let call = Call::new(d, "inside")
        .bytes(&b, 8)
        .array(d.f64s(&x))
        .array(d.f64s(&y));
    call.array(out).run([2, 1, 1], [32, 1, 1]);
    let want = |i: usize| match i {
        37.. => 8,
        _ => 3 * u32::from((1.0..3.0).contains(&x[i]) && (0.5..2.5).contains(&y[i])),
    };
    assert_eq!(d.read_u32s(out, 40), (0..40).map(want).collect::<Vec<_>>());
}

fn blur(d: &Device) {
    // Sixteenths, so that sums are exact.
    let a: Vec<f32> = (0..100).map(|i| (i * i % 31) as f32).collect();
    let out = d.f32s(&[-1.0; 100]);
    for _ in 0..2 {
        let call = Call::new(d, "blur").int(100).array(d.f32s(&a)).array(out);
        call.run([1, 1, 1], [128, 1, 1]);
    }
    let want = |i: usize| {
        let weights = [0.0625, 0.25, 0.375, 0.25, 0.0625];
        match i {
            2..98 => (0..5).map(|k| weights[k] * a[i + k - 2]).sum(),
            _ => -1.0f32,
        }
    };
    assert_eq!(
        d.read_f32s(out, 100),
        (0..100).map(want).collect::<Vec<_>>()
    );
    let launches = d
        .module
        .variables
        .iter()
        .find(|v| v.0 == "launches")
        .unwrap();
    assert_eq!(d.read_u32s(launches.1, 1), [2]);
}

fn bits(d: &Device) {
    let (a, b) = (mixed(64), mixed(128)[64..].to_vec());
    let out = d.fresh(4 * 64 * 12);
    let call = Call::new(d, "bits")
        .array(d.u32s(&a))
        .array(d.u32s(&b))
        .array(out);
    call.run([2, 1, 1], [32, 1, 1]);
    let one = |x: u32, y: u32| {
        let wide = u64::from(x) << 32 | u64::from(y);
        let byte = |v: u32, i: u32| v >> (8 * i) & 255;
        [
            x.count_ones(),
            x.leading_zeros(),
            x.reverse_bits(),
            byte(x, 1) | byte(x, 3) << 8 | byte(y, 1) << 16 | byte(y, 3) << 24,
            ((u64::from(x) * u64::from(y)) >> 32) as u32,
            y << 11 | x >> 21,
            x / (y | 1),
            (x as i32 % 7) as u32,
            if x == 0 { 0 } else { x.trailing_zeros() + 1 },
            (wide / 1_000_003) as u32,
            ((x as i32).max(y as i32) as u32).wrapping_sub(x.min(y)),
            (x as i32).abs_diff(y as i32).wrapping_add(5),
        ]
    };
    let want: Vec<u32> = a.iter().zip(&b).flat_map(|(x, y)| one(*x, *y)).collect();
    assert_eq!(d.read_u32s(out, 64 * 12), want);
}

fn digits(d: &Device) {
    let a = mixed(64);
    let out = d.fresh(4 * 64);
    Call::new(d, "digits")
        .array(d.u32s(&a))
        .array(out)
        .run([1, 1, 1], [64, 1, 1]);
    let one = |v: &u32| {
        let digits: Vec<u32> = v
            .to_string()
            .bytes()
            .rev()
            .map(|c| u32::from(c - b'0'))
            .collect();
        (0..digits.len()).fold(0u32, |r, k| {
            r.wrapping_mul(7).wrapping_add(digits[k * 5 % digits.len()])
        })
    };
    assert_eq!(d.read_u32s(out, 64), a.iter().map(one).collect::<Vec<_>>());
}

fn doubles(d: &Device) {
    let x: Vec<f64> = mixed(32)
        .iter()
        .map(|v| f64::from(*v) / 1e6 + 0.3)
        .collect();
    let out = d.fresh(8 * 4 * 32);
    Call::new(d, "doubles")
        .array(d.f64s(&x))
        .array(out)
        .run([1, 1, 1], [32, 1, 1]);
    let one = |v: &f64| {
        [
            1.0 / v,
            v.sqrt(),
            v / 3.7,
            v.floor() + v.round_ties_even() - v.trunc(),
        ]
    };
    assert_eq!(
        d.read_f64s(out, 128),
        x.iter().flat_map(one).collect::<Vec<_>>()
    );
}

fn functions(d: &Device) {
    let mut x: Vec<f32> = (0..96).map(|i| 0.02 + i as f32 * 1.9).collect();
    // Beyond where a reduction by a few constants is good.
    x[95] = 1.3e7;
    let out = d.fresh(4 * 6 * 96);
    Call::new(d, "functions")
        .array(d.f32s(&x))
        .array(out)
        .run([1, 1, 1], [96, 1, 1]);
    let got = d.read_f32s(out, 6 * 96);
    for (i, v) in x.iter().enumerate() {
        let v = f64::from(*v);
        let want = [
            v.sin(),
            (v * 0.01).exp(),
            v.ln(),
            v.powf(1.3),
            v.sqrt() / (v + 1.0),
            v.atan2(3.0),
        ];
        for (g, w) in got[6 * i..].iter().zip(want) {
            let error = (f64::from(*g) - w).abs();
            // The manual's bounds are a few units in the last place, of about 1 for sine.
            let scale = if g.abs() <= 1.0 { 1.0 } else { w.abs() };
            assert!(
                error <= 1e-6 * scale || !w.is_finite() || w > 3e38,
                "of {v}: {g} instead of {w}"
            );
        }
    }
}

fn vectors(d: &Device) {
    let a: Vec<f32> = (0..256).map(|i| i as f32 * 0.5).collect();
    let b: Vec<f64> = (0..128).map(|i| f64::from(i) * 0.1).collect();
    let out = d.fresh(4 * 256);
    let call = Call::new(d, "vectors")
        .array(d.f32s(&a))
        .array(d.f64s(&b))
        .array(out);
    let outcome = call.run([2, 1, 1], [32, 1, 1]);
    let one = |i: usize| {
        let v = &a[4 * i..];
        [
            v[0] + v[3],
            v[1] * v[2],
            b[2 * i] as f32,
            b[2 * i + 1] as f32,
        ]
    };
    assert_eq!(
        d.read_f32s(out, 256),
        (0..64).flat_map(one).collect::<Vec<_>>()
    );
    assert_eq!(outcome.counts.loads.requests, 4);
}

fn last_block(d: &Device) {
    let data = mixed(10 * 64);
    let (parts, out) = (d.fresh(4 * 10), d.fresh(4));
    for _ in 0..2 {
        let call = Call::new(d, "last_block")
            .array(d.u32s(&data))
            .array(parts)
            .array(out);
        call.run([10, 1, 1], [64, 1, 1]);
        let sum = data.iter().fold(0u32, |s, v| s.wrapping_add(*v));
        assert_eq!(d.read_u32s(out, 1), [sum]);
    }
}

fn largest(d: &Device) {
    let x: Vec<f32> = mixed(200).iter().map(|v| *v as f32 / 1e9).collect();
    let out = d.f32s(&[0.0]);
    let call = Call::new(d, "largest")
        .int(200)
        .array(d.f32s(&x))
        .array(out);
    call.run([4, 1, 1], [64, 1, 1]);
    let want = x.iter().copied().fold(0.0, f32::max);
    assert_eq!(d.read_f32s(out, 1), [want]);
}

fn votes(d: &Device) {
    let x: Vec<u32> = mixed(64).iter().map(|v| v % 30 + 47 * (v % 2)).collect();
    let out = d.fresh(4 * 64);
    Call::new(d, "votes")
        .array(d.u32s(&x))
        .array(out)
        .run([2, 1, 1], [32, 1, 1]);
    let one = |i: usize| {
        let warp = &x[i / 32 * 32..][..32];
        let below = warp[..i % 32].iter().filter(|v| **v < 10).count() as u32;
        let any = u32::from(warp.contains(&77));
        let all = u32::from(warp.iter().all(|v| *v < 1000));
        below | any << 8 | all << 9 | warp[i % 32 / 8 * 8 + 5] << 16
    };
    assert_eq!(d.read_u32s(out, 64), (0..64).map(one).collect::<Vec<_>>());
}

fn strings(d: &Device) {
    let out = d.fresh(64);
    Call::new(d, "strings")
        .array(out)
        .int(3)
        .run([1, 1, 1], [32, 1, 1]);
    let text = b"as good as nvcc";
    let got: Vec<u8> = d
        .read_u32s(out, 16)
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    for (lane, got) in got[..32].iter().enumerate() {
        let want = text.get(lane % 16).map_or(3, |c| c ^ 3);
        assert_eq!(*got, if lane < 16 { want } else { 0 }, "{lane}");
    }
}
