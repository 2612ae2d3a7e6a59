//! The model of `formulas/atmosphere.tf`, run: a bubble of warm air rises and carries smoke.
//!
//! ```text
//! cargo run --release --example atmosphere [PICTURE.png [STEPS]]
//! ```
//!
//! Mass and smoke are conserved, which is checked. The picture shows heat above and smoke below.

use terrace::run::bind::Value;
use terrace::run::source::ProgramText;
use terrace::run::{RunError, compile, options::RunOptions};
use terrace::runtime::dtype::{DType, Scalar};

/// Cells along x and in height.
const CELLS: [usize; 2] = [96, 64];
/// Metres of a cell, and seconds of a step: sound crosses a cell in 3 steps.
const CELL: f64 = 20.0;
const STEP: f64 = 0.02;

/// Positions of arrays among the arguments.
const T: usize = 9;
const Q: usize = 10;
const R: usize = 8;

/// Height as a fraction of all for each index along k.
fn heights() -> impl Iterator<Item = f32> {
    let last = 2 * CELLS[1];
    (0..=last).map(move |k| k as f32 / last as f32)
}

/// The arguments at the beginning.
fn beginning() -> Result<Vec<Value>, Box<dyn std::error::Error>> {
    let [n, m] = CELLS;
    let index = |n: usize| Value::Scalar(Scalar::from_bits(DType::Index, n as u64));
    let number = |x: f64| Scalar::from_f64(DType::F32, x).map(Value::Scalar);
    let density: Vec<f32> = heights().map(|z| 1.2 * (-0.5 * z).exp()).collect();
    let temperature: Vec<f32> = heights().map(|z| 300.0 + 0.2 * z).collect();
    let viscosity: Vec<f32> = heights().map(|_| 2.0).collect();
    let mixing: Vec<f32> = (0..=m)
        .map(|k| if k == 0 || k == m { 0.0 } else { 0.5 })
        .collect();
    let mut bubble = vec![0.0f32; n * m];
    for (at, v) in bubble.iter_mut().enumerate() {
        let x = (at % n) as f32 - 0.5 * n as f32;
        let z = (at / n) as f32 - 0.25 * m as f32;
        *v = (-(x * x + z * z) / 60.0).exp();
    }
    let warm: Vec<f32> = bubble.iter().map(|b| 4.0 * b).collect();
    let zeros = |shape: [usize; 2]| Value::array(&shape, &vec![0.0f32; shape[0] * shape[1]]);
    let (cells, sides, tops) = ([m, n], [m, n + 1], [m + 1, n]);
    Ok(vec![
        index(n),
        index(m),
        number(STEP)?,
        number(CELL)?,
        Value::array(&[2 * m + 1], &density)?,
        Value::array(&[2 * m + 1], &temperature)?,
        Value::array(&[m + 1], &mixing)?,
        Value::array(&[2 * m + 1], &viscosity)?,
        zeros(cells)?,
        Value::array(&cells, &warm)?,
        Value::array(&cells, &bubble)?,
        zeros(sides)?,
        zeros(tops)?,
        zeros(sides)?,
        zeros(tops)?,
        zeros(sides)?,
        zeros(tops)?,
        zeros(cells)?,
        Value::array(&[m], &vec![0.0f32; m])?,
    ])
}

/// The sum of an array.
fn sum(v: &Value) -> Result<f64, Box<dyn std::error::Error>> {
    Ok(v.elements::<f32>()?.iter().map(|x| f64::from(*x)).sum())
}

/// The mean height of smoke, in cells.
fn height(v: &Value) -> Result<f64, Box<dyn std::error::Error>> {
    let all = v.elements::<f32>()?;
    let weighed = all
        .iter()
        .enumerate()
        .map(|(at, x)| (at / CELLS[0]) as f64 * f64::from(*x));
    Ok(weighed.sum::<f64>() / sum(v)?)
}

/// Runs the model. Gives the arguments at the end.
pub fn run(options: &RunOptions, steps: usize) -> Result<Vec<Value>, Box<dyn std::error::Error>> {
    let source = ProgramText::formulas("atmosphere.tf", include_str!("formulas/atmosphere.tf"));
    let program = source.program().map_err(|d| source.render(&d))?;
    let mut step = compile(program, options)?;
    let mut args = beginning()?;
    for _ in 0..steps {
        step.call(&mut args).map_err(RunError::from)?;
    }
    Ok(args)
}

/// Runs the model, checks what is conserved and draws a picture where a file is named.
pub fn check(
    options: &RunOptions,
    picture: Option<&str>,
    steps: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    let first = beginning()?;
    let last = run(options, steps)?;
    let (before, after) = (sum(&first[Q])?, sum(&last[Q])?);
    let mass: f64 = sum(&last[R])?;
    let all: f64 = heights()
        .skip(1)
        .step_by(2)
        .map(|z| 1.2 * f64::from((-0.5 * z).exp()))
        .sum();
    let all = all * CELLS[0] as f64;
    println!("smoke {before:.4} -> {after:.4}, mass {all:.2} and {mass:+.5}");
    println!(
        "height of smoke {:.2} -> {:.2} cells",
        height(&first[Q])?,
        height(&last[Q])?
    );
    // Numbers have 24 bits, and each step may round all of them to the same side.
    let rounding = 2.0 * steps as f64 / f64::from(1 << 24) + 1e-6;
    assert!(
        (after / before - 1.0).abs() < rounding,
        "smoke is lost or made"
    );
    assert!((mass / all).abs() < 1e-5, "mass is lost or made");
    if let Some(path) = picture {
        std::fs::write(path, png(&last[T], &last[Q])?)?;
        println!("{path}");
    }
    Ok(())
}

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let picture = words.next().unwrap_or_else(|| "atmosphere.png".to_string());
    let steps = words.next().map_or(Ok(6000), |w| w.parse())?;
    check(&RunOptions::default(), Some(&picture), steps)
}

/// Both fields one above the other, each cell 4 by 4 dots, as a PNG.
fn png(heat: &Value, smoke: &Value) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    const DOTS: usize = 4;
    let [n, m] = CELLS;
    let mut rows = Vec::new();
    for (field, warm) in [(heat, true), (smoke, false)] {
        let all = field.elements::<f32>()?;
        let greatest = all.iter().fold(1e-9f32, |g, x| g.max(x.abs()));
        for y in 0..m * DOTS {
            // Each row of a PNG says how it is filtered.
            rows.push(0);
            for x in 0..n * DOTS {
                let v = all[(m - 1 - y / DOTS) * n + x / DOTS] / greatest;
                let part = |x: f32| (255.0 * x.clamp(0.0, 1.0)) as u8;
                rows.extend(match warm {
                    true => [
                        part(1.0 + v.min(0.0)),
                        part(1.0 - v.abs()),
                        part(1.0 - v.max(0.0)),
                    ],
                    false => [part(1.0 - v), part(1.0 - v), part(1.0 - 0.7 * v)],
                });
            }
        }
    }
    let (width, height) = ((n * DOTS) as u32, (2 * m * DOTS) as u32);
    let mut head = [width.to_be_bytes(), height.to_be_bytes()].concat();
    head.extend([8, 2, 0, 0, 0]);
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, data) in [
        (b"IHDR", head),
        (b"IDAT", stored(&rows)),
        (b"IEND", Vec::new()),
    ] {
        out.extend((data.len() as u32).to_be_bytes());
        let chunk = [&kind[..], &data].concat();
        out.extend(&chunk);
        out.extend(crc(&chunk).to_be_bytes());
    }
    Ok(out)
}

/// Bytes as a zlib stream that compresses nothing.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let mut blocks = bytes.chunks(65535).peekable();
    while let Some(b) = blocks.next() {
        let size = b.len() as u16;
        out.push(u8::from(blocks.peek().is_none()));
        out.extend(size.to_le_bytes());
        out.extend((!size).to_le_bytes());
        out.extend(b);
    }
    let (mut a, mut b) = (1u32, 0u32);
    for x in bytes {
        a = (a + u32::from(*x)) % 65521;
        b = (b + a) % 65521;
    }
    out.extend((b << 16 | a).to_be_bytes());
    out
}

/// The checksum of PNG's chunks.
fn crc(bytes: &[u8]) -> u32 {
    let step = |c: u32| {
        if c & 1 == 1 {
            0xedb8_8320 ^ (c >> 1)
        } else {
            c >> 1
        }
    };
    !bytes
        .iter()
        .fold(!0u32, |c, b| (0..8).fold(c ^ u32::from(*b), |c, _| step(c)))
}
