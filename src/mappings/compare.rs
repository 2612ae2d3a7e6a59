//! Predictions of a cost model held against what was measured.

use super::kernel::Kernel;
use super::space::{Mapping, mappings};
use super::statistics::{kendall, median};
use super::table::Row;
use std::collections::HashMap;
use std::fmt::Write;

/// A mapping's time, in microseconds, as predicted and as measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The place in the list of mappings.
    pub number: usize,
    pub mapping: Mapping,
    pub predicted: f64,
    pub measured: f64,
}

/// A kernel's mappings.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    pub kernel: String,
    /// The names of its parallel loops.
    pub loops: Vec<String>,
    pub points: Vec<Point>,
}

/// Predicts every row of a table that is of these kernels.
///
/// # Errors
///
/// Rows of another grid than this program has, and what the model says.
pub fn compare(
    kernels: &[Kernel],
    rows: &[Row],
    mut predict: impl FnMut(&Kernel, &[Mapping]) -> Result<Vec<f64>, String>,
) -> Result<Vec<Compared>, String> {
    let mut of: HashMap<&str, Vec<&Row>> = HashMap::new();
    for r in rows {
        of.entry(&r.kernel).or_default().push(r);
    }
    let mut out = Vec::new();
    for kernel in kernels {
        let Some(rows) = of.get(kernel.name.as_str()) else {
            continue;
        };
        let all = mappings(kernel.parallel.len(), kernel.serial.len());
        let mut found = Vec::with_capacity(rows.len());
        for r in rows {
            let same = |m: &&Mapping| {
                let loops = m.permutation(&kernel.parallel);
                (loops, m.tiles.to_string(), m.block_text())
                    == (r.permutation.clone(), r.tile.clone(), r.block.clone())
            };
            let mapping = all.get(r.point).filter(same).ok_or_else(|| {
                let (k, p) = (&r.kernel, r.point);
                format!("point {p} of {k} is not of this grid: the table is to be measured anew")
            })?;
            found.push(mapping.clone());
        }
        let predicted = predict(kernel, &found)?;
        let points = (rows.iter().zip(found).zip(predicted))
            .map(|((r, mapping), predicted)| Point {
                number: r.point,
                mapping,
                predicted,
                measured: r.microseconds,
            })
            .collect();
        out.push(Compared {
            kernel: kernel.name.clone(),
            loops: kernel.parallel.clone(),
            points,
        });
    }
    Ok(out)
}

impl Compared {
    /// Rank correlation of predictions and measurements; 0 where one of them does not
    /// order the points.
    pub fn tau(&self) -> f64 {
        let pairs: Vec<(f64, f64)> = (self.points.iter())
            .map(|p| (p.predicted, p.measured))
            .collect();
        kendall(&pairs).unwrap_or(0.0)
    }

    /// The point that the model would choose: the first of those with the least predicted
    /// time.
    pub fn chosen(&self) -> Option<&Point> {
        self.points
            .iter()
            .min_by(|a, b| a.predicted.total_cmp(&b.predicted))
    }

    /// The fastest.
    pub fn best(&self) -> Option<&Point> {
        self.points
            .iter()
            .min_by(|a, b| a.measured.total_cmp(&b.measured))
    }

    /// The measured time of the chosen point over that of the fastest.
    pub fn loss(&self) -> f64 {
        match (self.chosen(), self.best()) {
            (Some(c), Some(b)) => c.measured / b.measured,
            _ => f64::NAN,
        }
    }
}

/// What all kernels together say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    pub median_tau: f64,
    /// Kernels whose chosen point takes at most a tenth longer than the fastest.
    pub within_tenth: usize,
    pub kernels: usize,
}

/// The summary of a comparison.
pub fn summary(all: &[Compared]) -> Summary {
    let taus: Vec<f64> = all.iter().map(Compared::tau).collect();
    Summary {
        median_tau: median(&taus),
        within_tenth: all.iter().filter(|c| c.loss() <= 1.1).count(),
        kernels: all.len(),
    }
}

/// Every point as CSV: what was predicted and what measured.
pub fn points(all: &[Compared]) -> String {
    let mut out = "kernel,point,permutation,tile,block,predicted,measured\n".to_string();
    for c in all {
        for p in &c.points {
            let (m, kernel, number) = (&p.mapping, &c.kernel, p.number);
            let _ = writeln!(
                out,
                "{kernel},{number},{},{},{},{:.2},{:.2}",
                m.permutation(&c.loops),
                m.tiles,
                m.block_text(),
                p.predicted,
                p.measured
            );
        }
    }
    out
}

/// The comparison as a table in Markdown.
pub fn table(all: &[Compared]) -> String {
    let mut out = "| kernel | points | tau | best, us | at | chosen, us | at | chosen / best |\n\
                   | --- | --- | --- | --- | --- | --- | --- | --- |\n"
        .to_string();
    for c in all {
        let at = |p: &Point| {
            let m = &p.mapping;
            let loops = m.permutation(&c.loops);
            format!("{loops}, {}, {}", m.tiles, m.block_text())
        };
        if let (Some(chosen), Some(best)) = (c.chosen(), c.best()) {
            let _ = writeln!(
                out,
                "| {} | {} | {:.2} | {:.1} | {} | {:.1} | {} | {:.2} |",
                c.kernel,
                c.points.len(),
                c.tau(),
                best.measured,
                at(best),
                chosen.measured,
                at(chosen),
                c.loss()
            );
        }
    }
    let s = summary(all);
    let points = || all.iter().flat_map(|c| &c.points);
    let refused = points().filter(|p| !p.predicted.is_finite()).count();
    if refused > 0 {
        let _ = writeln!(
            out,
            "\nOf {} mappings that ran the model says that {refused} cannot.",
            points().count()
        );
    }
    let _ = writeln!(
        out,
        "\nMedian tau {:.2}; the chosen point within a tenth of the best for {} of {}.",
        s.median_tau, s.within_tenth, s.kernels
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mappings::Size;

    const COPY: &str = "// parallel: i\n// @N@ = 512, small 8\n\
        func.func @f(%A: memref<@N@xf32>, %B: memref<@N@xf32>) {\n\
        affine.for %i = 0 to @N@ {\n%a = affine.load %A[%i] : memref<@N@xf32>\n\
        affine.store %a, %B[%i] : memref<@N@xf32>\n}\nreturn\n}\n";

    fn row(point: usize, block: &str, microseconds: f64) -> Row {
        Row {
            kernel: "f".into(),
            point,
            permutation: "i".into(),
            tile: "1".into(),
            block: block.into(),
            registers: 16,
            microseconds,
        }
    }

    #[test]
    fn predictions_meet_measurements() {
        let kernel = Kernel::read("f.mlir", COPY, Size::Full).unwrap();
        let rows = [
            row(0, "256x1x1", 4.0),
            row(1, "32x1x1", 5.0),
            row(2, "64x1x1", 8.0),
        ];
        // A model to which all blocks but the second are the same.
        let model = |_: &Kernel, all: &[Mapping]| {
            Ok(all
                .iter()
                .map(|m| if m.block[0] == 32 { 1.0 } else { 2.0 })
                .collect())
        };
        let all = compare(std::slice::from_ref(&kernel), &rows, model).unwrap();
        let c = &all[0];
        assert_eq!(c.points.len(), 3);
        assert_eq!(
            (c.chosen().unwrap().number, c.best().unwrap().number),
            (1, 0)
        );
        assert_eq!(c.loss(), 1.25);
        // Pairs: (0, 1) against each other, (1, 2) alike, (0, 2) a tie of the predictions.
        assert_eq!(c.tau(), 0.0);
        let s = summary(&all);
        assert_eq!((s.within_tenth, s.kernels), (0, 1));
        let text = table(&all);
        assert!(
            text.contains("| f | 3 | 0.00 | 4.0 | i, 1, 256x1x1 | 5.0 | i, 1, 32x1x1 | 1.25 |"),
            "{text}"
        );
        assert!(points(&all).ends_with("\nf,2,i,1,64x1x1,2.00,8.00\n"));
        let old = [row(0, "512x1x1", 4.0)];
        let e = compare(&[kernel], &old, model).unwrap_err();
        assert!(e.starts_with("point 0 of f is not of this grid"), "{e}");
    }
}
