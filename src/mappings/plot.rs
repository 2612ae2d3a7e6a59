//! Predicted against measured times as a drawing: SVG, a panel a kernel, both axes
//! logarithmic.

use super::compare::Compared;
use std::fmt::Write;

/// Pixels of a panel, with the room around it.
const PANEL: f64 = 180.0;
const ROOM: f64 = 26.0;
const COLUMNS: usize = 5;

/// The drawing.
pub fn svg(all: &[Compared]) -> String {
    let columns = all.len().clamp(1, COLUMNS);
    let rows = all.len().div_ceil(columns).max(1);
    let (width, height) = (columns as f64 * PANEL, rows as f64 * PANEL);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"9\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    for (i, c) in all.iter().enumerate() {
        let (x, y) = ((i % columns) as f64 * PANEL, (i / columns) as f64 * PANEL);
        let _ = writeln!(out, "<g transform=\"translate({x},{y})\">");
        panel(&mut out, c);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// A logarithmic axis over so many pixels.
struct Axis {
    low: f64,
    high: f64,
    pixels: f64,
}

impl Axis {
    /// Around these numbers, those that are not positive left out.
    fn around(numbers: impl Iterator<Item = f64>, pixels: f64) -> Axis {
        let usable = numbers.filter(|x| x.is_finite() && *x > 0.0);
        let (low, high) = usable.fold((f64::INFINITY, 0.0f64), |(l, h), x| (l.min(x), h.max(x)));
        let (low, high) = if low < high { (low, high) } else { (0.5, 2.0) };
        Axis {
            low: low.ln() - 0.05 * (high / low).ln(),
            high: high.ln() + 0.05 * (high / low).ln(),
            pixels,
        }
    }

    fn at(&self, x: f64) -> f64 {
        (x.max(f64::MIN_POSITIVE).ln() - self.low) / (self.high - self.low) * self.pixels
    }

    /// 1, 2 and 5 times powers of ten; fewer where many fit.
    fn ticks(&self) -> Vec<f64> {
        let decades = (self.low / std::f64::consts::LN_10).floor() as i32
            ..=(self.high / std::f64::consts::LN_10).ceil() as i32;
        let steps: &[f64] = match self.high - self.low {
            s if s > 4.0 => &[1.0],
            _ => &[1.0, 2.0, 5.0],
        };
        let all = decades.flat_map(|d| steps.iter().map(move |s| s * 10f64.powi(d)));
        all.filter(|t| (self.low..=self.high).contains(&t.ln()))
            .collect()
    }
}

fn panel(out: &mut String, c: &Compared) {
    let side = PANEL - 2.0 * ROOM;
    let x = Axis::around(c.points.iter().map(|p| p.measured), side);
    let y = Axis::around(c.points.iter().map(|p| p.predicted), side);
    let down = |v: f64| PANEL - ROOM - y.at(v);
    let _ = writeln!(
        out,
        "<text x=\"{ROOM}\" y=\"{:.0}\">{} (tau {:.2})</text>\n\
         <rect x=\"{ROOM}\" y=\"{ROOM}\" width=\"{side}\" height=\"{side}\" fill=\"none\" \
         stroke=\"#999\"/>",
        ROOM - 5.0,
        escaped(&c.kernel),
        c.tau()
    );
    for t in x.ticks() {
        let at = ROOM + x.at(t);
        let _ = writeln!(
            out,
            "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#666\">{t}</text>",
            PANEL - ROOM + 10.0
        );
    }
    for t in y.ticks() {
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#666\">{t}</text>",
            ROOM - 2.0,
            down(t) + 3.0
        );
    }
    // Where both say the same.
    let (from, to) = (x.low.max(y.low).exp(), x.high.min(y.high).exp());
    if from < to {
        let _ = writeln!(
            out,
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#ccc\"/>",
            ROOM + x.at(from),
            down(from),
            ROOM + x.at(to),
            down(to)
        );
    }
    // Lines of no length with round ends are dots in few bytes.
    let mut dots = String::new();
    for p in &c.points {
        let _ = write!(
            dots,
            "M{:.1} {:.1}h0",
            ROOM + x.at(p.measured),
            down(p.predicted)
        );
    }
    let _ = writeln!(
        out,
        "<path d=\"{dots}\" stroke=\"#1f6fb4\" stroke-width=\"2.4\" stroke-linecap=\"round\" \
         stroke-opacity=\"0.6\" fill=\"none\"/>"
    );
    if let Some(p) = c.chosen().filter(|p| p.predicted.is_finite()) {
        let _ = writeln!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\" fill=\"none\" stroke=\"#c22\"/>",
            ROOM + x.at(p.measured),
            down(p.predicted)
        );
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mappings::compare::Point;
    use crate::mappings::space::mappings;

    #[test]
    fn a_panel_has_a_dot_for_each_point() {
        let all = mappings(1, 0).into_iter().take(4).enumerate();
        let points = all.map(|(number, mapping)| Point {
            number,
            mapping,
            predicted: 10.0 * (number + 1) as f64,
            measured: 5.0 + 40.0 * number as f64,
        });
        let c = Compared {
            kernel: "a<b".into(),
            loops: vec!["i".into()],
            points: points.collect(),
        };
        let text = svg(&[c]);
        assert_eq!(text.matches("h0").count(), 4);
        assert!(
            text.contains("a&lt;b (tau 1.00)") && text.contains(">10</text>"),
            "{text}"
        );
        assert_eq!(text.matches("<g ").count(), text.matches("</g>").count());
        assert!(!text.contains("NaN") && !text.contains("inf"));
    }

    #[test]
    fn axes_of_nothing_and_of_one_number() {
        for numbers in [vec![], vec![3.0, 3.0], vec![0.0, f64::NAN]] {
            let a = Axis::around(numbers.into_iter(), 100.0);
            assert!(a.at(1.0).is_finite() && a.low < a.high);
        }
        let a = Axis::around([1.0, 100.0].into_iter(), 100.0);
        assert!((a.at(10.0) - 50.0).abs() < 1e-9);
        assert_eq!(a.ticks(), [1.0, 10.0, 100.0]);
    }
}
