//! Matches the directives against an input, by the rules of LLVM's FileCheck.

use super::directive::{Directive, Group, Kind};
use super::pattern::{Match, Miss, Pattern, Variables};
use super::report::{Report, Side};

/// One run: the input, the variables, and what was found wrong.
pub(super) struct Checker<'a> {
    pub input: &'a str,
    pub variables: Variables,
    pub scoped: bool,
    pub report: Report<'a>,
}

impl Checker<'_> {
    /// Matches all groups. What is wrong is in the report.
    ///
    /// Labels are found first; they cut the input into blocks, and a failure
    /// in one block does not hide those of the next.
    pub fn run(&mut self, groups: &[Group]) {
        let mut position = 0;
        let mut first = 0;
        for last in 0..=groups.len() {
            let label = groups.get(last);
            if label.is_some_and(|g| g.directive.kind != Kind::Label) {
                continue;
            }
            let end = match label {
                None => self.input.len(),
                Some(group) => match self.find(&group.directive, position, self.input.len()) {
                    Ok(found) => found.end,
                    Err(miss) => {
                        return self.missed(&group.directive, position, self.input.len(), miss);
                    }
                },
            };
            if first > 0 && self.scoped {
                self.variables.clear_local();
            }
            let upto = (last + 1).min(groups.len());
            self.block(&groups[first..upto], position, end);
            first = upto;
            position = end;
        }
    }

    fn block(&mut self, groups: &[Group], mut position: usize, end: usize) {
        for group in groups {
            match self.group(group, position, end) {
                Some(next) => position = next,
                None => return,
            }
        }
    }

    /// One positive directive with what stands before it; returns where the
    /// next one starts to look.
    fn group(&mut self, group: &Group, position: usize, end: usize) -> Option<usize> {
        let directive = &group.directive;
        let (start, excluded) = self.unordered(&group.before, position, end)?;
        let found = match directive.kind {
            Kind::End => Match { start: end, end },
            Kind::Count(n) => {
                let mut whole: Option<Match> = None;
                for _ in 0..n {
                    let from = whole.map_or(start, |m| m.end);
                    let next = self.find_or_report(directive, from, end)?;
                    whole = Some(Match {
                        start: whole.map_or(next.start, |m| m.start),
                        end: next.end,
                    });
                }
                whole?
            }
            _ => self.find_or_report(directive, start, end)?,
        };
        let skipped = &self.input[start..found.start];
        let lines = skipped.matches('\n').count();
        let complaint = match (directive.kind, lines) {
            (Kind::Next | Kind::Empty, 0) => Some("is on the same line as previous match"),
            (Kind::Next | Kind::Empty, 2..) => Some("is not on the line after the previous match"),
            (Kind::Same, 1..) => Some("is not on the same line as the previous match"),
            _ => None,
        };
        if let Some(text) = complaint {
            self.report.error(
                Side::Checks,
                directive.offset,
                &format!("{}: {text}", directive.name),
            );
            self.report
                .note(Side::Input, found.start, "'next' match was here");
            self.report
                .note(Side::Input, start, "previous match ended here");
            return None;
        }
        self.absent(&excluded, start, found.start)?;
        Some(found.end)
    }

    /// The `DAG` and `NOT` directives before a positive one. Returns where the
    /// last run of `DAG`s ended and the `NOT`s after it.
    fn unordered<'d>(
        &mut self,
        before: &'d [Directive],
        position: usize,
        end: usize,
    ) -> Option<(usize, Vec<&'d Directive>)> {
        let mut start = position;
        let mut excluded: Vec<&Directive> = Vec::new();
        let mut ranges: Vec<Match> = Vec::new();
        for (index, directive) in before.iter().enumerate() {
            if directive.kind == Kind::Not {
                excluded.push(directive);
                continue;
            }
            let mut from = start;
            let found = loop {
                let saved = self.variables.clone();
                let found = self.find_or_report(directive, from, end)?;
                // Two `DAG`s never match the same text.
                match ranges
                    .iter()
                    .find(|r| found.start < r.end && r.start < found.end)
                {
                    Some(taken) => {
                        from = taken.end;
                        self.variables = saved;
                    }
                    None => break found,
                }
            };
            let place = ranges.partition_point(|r| r.start <= found.start);
            ranges.insert(place, found);
            if before.get(index + 1).is_none_or(|d| d.kind == Kind::Not) {
                // `NOT`s before a run of `DAG`s reach to the first of its matches.
                let not = std::mem::take(&mut excluded);
                self.absent(&not, start, ranges[0].start)?;
                start = ranges.iter().map(|r| r.end).max().unwrap_or(start);
                ranges.clear();
            }
        }
        Some((start, excluded))
    }

    fn absent(&mut self, excluded: &[&Directive], start: usize, end: usize) -> Option<()> {
        let mut ok = Some(());
        for directive in excluded {
            match self.find(directive, start, end) {
                Err(Miss::NotFound) => {}
                Err(miss) => {
                    self.missed(directive, start, end, miss);
                    ok = None;
                }
                Ok(found) => {
                    let text = format!("{}: excluded string found in input", directive.name);
                    self.report.error(Side::Checks, directive.offset, &text);
                    self.report.note(Side::Input, found.start, "found here");
                    ok = None;
                }
            }
        }
        ok
    }

    fn find(&mut self, directive: &Directive, from: usize, end: usize) -> Result<Match, Miss> {
        directive
            .pattern
            .find(&self.input[..end], from, &mut self.variables)
    }

    fn find_or_report(&mut self, directive: &Directive, from: usize, end: usize) -> Option<Match> {
        match self.find(directive, from, end) {
            Ok(found) => Some(found),
            Err(miss) => {
                self.missed(directive, from, end, miss);
                None
            }
        }
    }

    fn missed(&mut self, directive: &Directive, from: usize, end: usize, miss: Miss) {
        let why = match miss {
            Miss::NotFound => "expected string not found in input".to_string(),
            Miss::Invalid(why) => why,
        };
        self.report.error(
            Side::Checks,
            directive.offset,
            &format!("{}: {why}", directive.name),
        );
        let past_newline = self.input[from..end].starts_with('\n');
        self.report.note(
            Side::Input,
            from + usize::from(past_newline),
            "scanning from here",
        );
        for (name, value) in directive.pattern.used(&self.variables) {
            self.report.note(
                Side::Input,
                from,
                &format!("with \"{name}\" equal to \"{value}\""),
            );
        }
        if let Some(at) = self.similar(&directive.pattern, from, end) {
            self.report
                .note(Side::Input, at, "possible intended match here");
        }
    }

    /// The start of the line, among the next hundred, that is most like the
    /// pattern, where one is like it at all.
    fn similar(&self, pattern: &Pattern, from: usize, end: usize) -> Option<usize> {
        let sketch = words(&pattern.sketch(&self.variables));
        let mut best: Option<(usize, usize)> = None;
        let mut at = from;
        for line in self.input[from..end].split_inclusive('\n').take(100) {
            let have = words(line);
            let common = sketch.iter().filter(|w| have.contains(w)).count();
            if common * 2 > sketch.len() && best.is_none_or(|(score, _)| common > score) {
                let indent = line.len() - line.trim_start().len();
                best = Some((common, at + indent));
            }
            at += line.len();
        }
        best.map(|(_, at)| at)
    }
}

fn words(text: &str) -> Vec<String> {
    let split = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '%' | '@' | '#'));
    text.split(split)
        .filter(|w| w.len() > 1)
        .map(str::to_string)
        .collect()
}
