//! What `terrace run` prints.

use super::bind::Value;
use super::entry::Entry;
use crate::runtime::buffer::shape_text;
use crate::runtime::check::checksum;
use crate::runtime::profile::{Event, Profile, Stats, time};
use std::time::Duration;

pub(super) struct Report {
    lines: Vec<String>,
    entry: Entry,
    flops: Option<f64>,
    calls: Vec<f64>,
    profile: Profile,
    after: Vec<String>,
}

impl Report {
    pub fn new(file: &str, entry: &Entry, place: String, flops: Option<f64>) -> Self {
        Report {
            lines: vec![format!("{file}: @{} on {place}", entry.name)],
            entry: entry.clone(),
            flops,
            calls: Vec::new(),
            profile: Profile::new(),
            after: Vec::new(),
        }
    }

    /// A line below the first one.
    pub fn head(&mut self, s: &str) {
        self.lines.push(s.to_string());
    }

    pub fn add_call(&mut self, elapsed: Duration, profile: Profile) {
        self.calls.push(elapsed.as_secs_f64() * 1e6);
        let is_kernel = |e: &&Event| matches!(e, Event::Kernel(_));
        self.profile.peaks = self.profile.peaks.or(profile.peaks);
        // The program's operations are a kernel's where it is the only one.
        let only = profile.events().iter().filter(is_kernel).count() == 1;
        for e in profile.events() {
            let mut e = e.clone();
            if let Event::Kernel(k) = &mut e
                && only
            {
                k.flops = self.flops;
            }
            self.profile.record(e);
        }
    }

    pub fn line(&mut self, s: String) {
        self.after.push(s);
    }

    /// The arrays and results after the last call.
    pub fn add_values(&mut self, args: &[Value], results: &[Value]) {
        for (p, v) in self.entry.params.iter().zip(args) {
            if let Value::Array(b) = v {
                let shape = format!("{}x{}", shape_text(b.shape()), b.dtype());
                self.after.push(format!(
                    "array    {:<8} {shape:<20} checksum {}",
                    p.name,
                    checksum(b)
                ));
            }
        }
        for (i, r) in results.iter().enumerate() {
            self.after.push(match r {
                Value::Scalar(r) => format!("result   {i}: {}", r.as_f64()),
                Value::Array(b) => {
                    let shape = format!("{}x{}", shape_text(b.shape()), b.dtype());
                    format!("result   {i:<8} {shape:<20} checksum {}", checksum(b))
                }
            });
        }
    }

    pub fn text(&self) -> String {
        let mut s = self.lines.join("\n");
        s.push('\n');
        s.push_str(&self.profile.to_string());
        let calls = Stats::of(&self.calls);
        let mut line = format!(
            "call     {} times, median {}",
            calls.count,
            time(calls.median)
        );
        if calls.count == 1 {
            line = format!("call     {}", time(calls.median));
        }
        if let Some(f) = self.flops.filter(|_| calls.median > 0.0) {
            line.push_str(&format!(", {:.2} GFLOP/s", f / calls.median * 1e-3));
        }
        s.push_str(&line);
        s.push('\n');
        for l in &self.after {
            s.push_str(l);
            s.push('\n');
        }
        s
    }
}
