//! Lines of the files that notes are about.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Reads a file by the name that places give it.
type Loader = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Files, each read when a line of it is first asked for.
#[derive(Clone)]
pub struct Sources {
    load: Loader,
    files: RefCell<HashMap<String, Arc<Vec<String>>>>,
}

impl Sources {
    pub fn from_disk() -> Sources {
        Sources::new(Arc::new(|file| {
            let bytes = std::fs::read(file).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }))
    }

    pub fn new(load: Loader) -> Sources {
        Sources {
            load,
            files: RefCell::default(),
        }
    }

    /// All lines of a file, without their ends; none if it cannot be read.
    pub fn lines(&self, file: &str) -> Arc<Vec<String>> {
        if let Some(known) = self.files.borrow().get(file) {
            return known.clone();
        }
        let text = (self.load)(file).unwrap_or_default();
        let lines: Arc<Vec<String>> = Arc::new(text.lines().map(str::to_string).collect());
        let mut files = self.files.borrow_mut();
        files.insert(file.to_string(), lines.clone());
        lines
    }

    /// A line, counted from 1.
    pub fn line(&self, file: &str, line: u32) -> Option<String> {
        let index = (line as usize).checked_sub(1)?;
        self.lines(file).get(index).cloned()
    }
}

impl fmt::Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sources").finish_non_exhaustive()
    }
}
