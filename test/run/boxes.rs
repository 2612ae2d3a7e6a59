//! Boxes of arrays, copied in every direction on the emulator: random offsets, sizes and
//! strides of ranks 1 to 4, against the interpreter, which copies element by element.

use std::fmt::Write;
use terrace_lit::random::Random;

use super::tools::terrace_with;

/// A part of each dimension: its first element, and the distance of the next.
struct Part {
    offsets: Vec<u64>,
    steps: Vec<u64>,
}

impl Part {
    /// Of an array of these sizes, with `counts` elements.
    fn of(draws: &mut Random, sizes: &[u64], counts: &[u64]) -> Part {
        let mut part = Part {
            offsets: Vec::new(),
            steps: Vec::new(),
        };
        for (size, count) in sizes.iter().zip(counts) {
            let most = if *count > 1 {
                (size - 1) / (count - 1)
            } else {
                1
            };
            let step = 1 + draws.below(most.clamp(1, 2));
            let reach = (count - 1) * step + 1;
            part.steps.push(step);
            part.offsets.push(draws.below(size - reach + 1));
        }
        part
    }

    /// The view `name` of `array`, in `space`; its type.
    fn view(
        &self,
        name: &str,
        array: &str,
        sizes: &[u64],
        counts: &[u64],
        space: &str,
    ) -> (String, String) {
        let list = |v: &[u64]| v.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let shape = |v: &[u64]| v.iter().map(|n| format!("{n}x")).collect::<String>();
        let mut strides = vec![1; sizes.len()];
        for k in (1..sizes.len()).rev() {
            strides[k - 1] = strides[k] * sizes[k];
        }
        let offset: u64 = self.offsets.iter().zip(&strides).map(|(o, s)| o * s).sum();
        let stepped: Vec<u64> = self
            .steps
            .iter()
            .zip(&strides)
            .map(|(a, b)| a * b)
            .collect();
        let ty = format!(
            "memref<{}f32, strided<[{}], offset: {offset}>{space}>",
            shape(counts),
            list(&stepped)
        );
        let whole = format!("memref<{}f32{space}>", shape(sizes));
        let line = format!(
            "  {name} = memref.subview {array}[{}] [{}] [{}] : {whole} to {ty}",
            list(&self.offsets),
            list(counts),
            list(&self.steps)
        );
        (line, ty)
    }
}

/// A box from one array to the device, there to another buffer, and to another array.
fn program(seed: u64) -> String {
    let mut draws = Random(seed);
    let rank = 1 + draws.below(4) as usize;
    let sizes: Vec<u64> = (0..rank).map(|_| 1 + draws.below(7)).collect();
    let counts: Vec<u64> = sizes.iter().map(|n| 1 + draws.below(*n)).collect();
    let shape: String = sizes.iter().map(|n| format!("{n}x")).collect();
    let dims: Vec<String> = sizes.iter().map(|n| format!("\"{n}\"")).collect();
    let (host, device) = (
        format!("memref<{shape}f32>"),
        format!("memref<{shape}f32, #xfer.device>"),
    );
    let arg = |name: &str, init: &str| {
        format!(
            "%{name}: {host} {{terrace.name = \"{name}\", terrace.dims = [{}], terrace.init = \"{init}:{}\"}}",
            dims.join(", "),
            shape.trim_end_matches('x')
        )
    };
    let zeros = vec!["%c0"; rank].join(", ");
    let mut text = format!(
        "func.func @boxes({}, {}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = xfer.alloc() : {device}
  %e = xfer.alloc() : {device}
  xfer.copy %b to %d : {host} to {device}
  xfer.copy %b to %e : {host} to {device}
",
        arg("a", "iota"),
        arg("b", "random")
    );
    let mut views = Vec::new();
    for (name, array, space) in [
        ("%v", "%a", ""),
        ("%w", "%d", ", #xfer.device"),
        ("%x", "%e", ", #xfer.device"),
        ("%y", "%b", ""),
    ] {
        let part = Part::of(&mut draws, &sizes, &counts);
        let (line, ty) = part.view(name, array, &sizes, &counts, space);
        let _ = writeln!(text, "{line}");
        views.push((name, ty));
    }
    for (k, pair) in views.windows(2).enumerate() {
        let [(from, a), (to, b)] = pair else { continue };
        let _ = writeln!(text, "  xfer.copy {from} to {to} : {a} to {b}");
        if k == 0 {
            let _ = write!(
                text,
                "  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {{
    %o = memref.load %d[{zeros}] : {device}
    %s = arith.addf %o, %o : f32
    memref.store %s, %d[{zeros}] : {device}
    gpu.terminator
  }}
"
            );
        }
    }
    let _ = writeln!(
        text,
        "  xfer.copy %d to %a : {device} to {host}
  xfer.free %d : {device}
  xfer.free %e : {device}
  return
}}"
    );
    text
}

#[test]
fn boxes_are_copied_in_every_direction() {
    for seed in 0..24 {
        let text = program(seed);
        let r = terrace_with(&text, &["run", "-", "--target", "emulator", "--verify"]);
        assert!(
            r.code == 0 && r.stdout.contains("verify   passed"),
            "seed {seed}:\n{text}\n{}{}",
            r.stdout,
            r.stderr
        );
    }
}
