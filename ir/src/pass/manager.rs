//! Pass managers: passes in order, nested by the op they run on.

use super::instrument::IrPrinting;
use super::options::ParsedOptions;
use super::{Pass, PassInfo};
use std::path::PathBuf;
use std::time::Duration;

/// A pass in a pipeline.
pub(super) struct Instance {
    pub info: &'static PassInfo,
    pub options: ParsedOptions,
    pub pass: Box<dyn Pass>,
    pub counts: Vec<u64>,
    pub time: Duration,
}

pub(super) enum Item {
    Pass(Instance),
    /// Pipelines for ops directly inside, of which each op gets the one for it.
    Nested {
        pipelines: Vec<OpPassManager>,
        time: Duration,
    },
}

/// Passes to run, in order, on ops of one name, or on any op.
pub struct OpPassManager {
    /// `None` for any op.
    pub(super) anchor: Option<String>,
    pub(super) items: Vec<Item>,
    pub(super) time: Duration,
}

impl OpPassManager {
    /// An empty pipeline for the ops called `anchor`; `any` for all that are
    /// isolated from above.
    pub(crate) fn new(anchor: &str) -> Self {
        OpPassManager {
            anchor: (anchor != "any").then(|| anchor.to_string()),
            items: Vec::new(),
            time: Duration::ZERO,
        }
    }

    /// The name of the op it runs on, or `any`.
    pub fn anchor(&self) -> &str {
        self.anchor.as_deref().unwrap_or("any")
    }

    /// Append a pass, which must run on this manager's op.
    pub fn add(&mut self, info: &'static PassInfo, options: ParsedOptions) -> Result<(), String> {
        if let Some(wanted) = info.anchor
            && let Some(here) = self.anchor.as_deref()
            && wanted != here
        {
            return Err(format!(
                "Can't add pass '{}' restricted to '{wanted}' on a PassManager intended to run \
                 on '{here}', did you intend to nest?",
                info.title
            ));
        }
        let pass = (info.make)(&options)?;
        let counts = vec![0; info.statistics.len()];
        self.items.push(Item::Pass(Instance {
            info,
            options,
            pass,
            counts,
            time: Duration::ZERO,
        }));
        Ok(())
    }

    /// Append a pass, in a pipeline nested for its op where that is another one.
    pub fn add_nesting(
        &mut self,
        info: &'static PassInfo,
        options: ParsedOptions,
    ) -> Result<(), String> {
        match info.anchor {
            Some(wanted) if self.anchor.as_deref().is_some_and(|a| a != wanted) => {
                // Passes one after another on the same ops share a pipeline.
                if let Some(Item::Nested { pipelines, .. }) = self.items.last_mut()
                    && let [only] = &mut pipelines[..]
                    && only.anchor.as_deref() == Some(wanted)
                {
                    return only.add(info, options);
                }
                self.nest(wanted).add(info, options)
            }
            _ => self.add(info, options),
        }
    }

    /// Append an empty pipeline for the ops called `anchor` directly inside.
    pub fn nest(&mut self, anchor: &str) -> &mut OpPassManager {
        self.items.push(Item::Nested {
            pipelines: vec![OpPassManager::new(anchor)],
            time: Duration::ZERO,
        });
        match self.items.last_mut() {
            Some(Item::Nested { pipelines, .. }) => &mut pipelines[0],
            _ => unreachable!("just pushed"),
        }
    }

    /// The paths of the files that options of its passes name, each once.
    pub fn files(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        self.each(&mut |p| {
            for f in p.options.files() {
                if !all.iter().any(|a| a == f) {
                    all.push(f.to_string());
                }
            }
        });
        all
    }

    /// Its passes, those of nested pipelines too.
    pub fn passes(&self) -> Vec<&'static PassInfo> {
        let mut all = Vec::new();
        self.each(&mut |p| all.push(p.info));
        all
    }

    /// Leaves out passes of these names, those of nested pipelines too.
    pub fn leave_out(&mut self, names: &[String]) {
        self.items.retain(
            |item| !matches!(item, Item::Pass(p) if names.iter().any(|n| n == p.info.name)),
        );
        for item in &mut self.items {
            if let Item::Nested { pipelines, .. } = item {
                pipelines.iter_mut().for_each(|p| p.leave_out(names));
            }
        }
    }

    fn each(&self, f: &mut dyn FnMut(&Instance)) {
        for item in &self.items {
            match item {
                Item::Pass(p) => f(p),
                Item::Nested { pipelines, .. } => pipelines.iter().for_each(|p| p.each(f)),
            }
        }
    }

    /// How many passes and nested pipelines there are, not counting inside.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is neither pass nor nested pipeline.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Merge nested pipelines that follow one another, so that all passes run on one
    /// op before any runs on the next. A pipeline for any op stays apart from those
    /// for particular ones, whose order with it would change.
    pub(super) fn coalesce(&mut self) {
        let mut merged: Vec<Item> = Vec::new();
        for item in self.items.drain(..) {
            match (merged.last_mut(), item) {
                (
                    Some(Item::Nested { pipelines, .. }),
                    Item::Nested {
                        pipelines: more,
                        time,
                    },
                ) if may_merge(pipelines, &more) => {
                    let _ = time;
                    for pm in more {
                        match pipelines.iter_mut().find(|p| p.anchor == pm.anchor) {
                            Some(p) => p.items.extend(pm.items),
                            None => pipelines.push(pm),
                        }
                    }
                    pipelines.sort_by(|a, b| a.anchor.cmp(&b.anchor));
                }
                (_, item) => merged.push(item),
            }
        }
        for item in &mut merged {
            if let Item::Nested { pipelines, .. } = item {
                pipelines.iter_mut().for_each(OpPassManager::coalesce);
            }
        }
        self.items = merged;
    }

    /// The pipeline's text, on one line.
    pub fn text(&self) -> String {
        let mut s = String::new();
        self.write(&mut s, None);
        s
    }

    /// The pipeline's text, a line for each pass.
    pub(crate) fn pretty_text(&self) -> String {
        let mut s = String::new();
        self.write(&mut s, Some(0));
        s
    }

    fn write(&self, s: &mut String, indent: Option<usize>) {
        let line = |s: &mut String, n: usize| {
            if indent.is_some() {
                s.push('\n');
                s.push_str(&" ".repeat(n));
            }
        };
        let n = indent.unwrap_or(0);
        s.push_str(self.anchor());
        s.push('(');
        let mut first = true;
        let mut begin = |s: &mut String| {
            if !std::mem::take(&mut first) {
                s.push(',');
            }
            line(s, n + 2);
        };
        for item in &self.items {
            match item {
                Item::Pass(p) => {
                    begin(s);
                    s.push_str(p.info.name);
                    s.push_str(&p.options.text());
                }
                Item::Nested { pipelines, .. } => {
                    for pm in pipelines {
                        begin(s);
                        pm.write(s, indent.map(|n| n + 2));
                    }
                }
            }
        }
        line(s, n);
        s.push(')');
    }
}

fn may_merge(a: &[OpPassManager], b: &[OpPassManager]) -> bool {
    a.iter().chain(b).all(|p| p.anchor.is_some())
}

/// A whole pipeline and how to run it.
pub struct PassManager {
    /// The passes and nested pipelines to run.
    pub root: OpPassManager,
    /// Verify the IR after each pass.
    pub verify_each: bool,
    /// When to print the IR around passes.
    pub printing: IrPrinting,
    /// Where to write the input and the pipeline when a pass fails or panics.
    pub reproducer: Option<PathBuf>,
}

impl PassManager {
    /// An empty pipeline for an op called `anchor`, or for `any`.
    pub fn new(anchor: &str) -> Self {
        PassManager {
            root: OpPassManager::new(anchor),
            verify_each: true,
            printing: IrPrinting::default(),
            reproducer: None,
        }
    }

    /// The text of `--dump-pass-pipeline`.
    pub fn dump(&self) -> String {
        format!(
            "Pass Manager with {} passes:\n{}\n\n",
            self.root.len(),
            self.root.pretty_text()
        )
    }
}
