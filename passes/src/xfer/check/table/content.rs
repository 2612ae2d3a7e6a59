//! Which elements of an array are valid where, as spans of elements in a row.

use terrace_dialects::xfer::Side;

/// Elements `lo..hi` of an array whose elements lie in a row; `hi` is [`Span::END`] where
/// only the run knows how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    pub lo: i64,
    pub hi: i64,
}

impl Span {
    pub const END: i64 = i64::MAX;

    pub fn is_empty(self) -> bool {
        self.lo >= self.hi
    }

    pub fn has(self, other: Span) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    pub fn meets(self, other: Span) -> bool {
        self.lo < other.hi && other.lo < self.hi
    }
}

/// What the device has of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OnDevice {
    Valid,
    /// The host wrote it since.
    Stale,
    /// Nothing: its memory was made without the host's values, and nothing was written.
    Unset,
    /// Nothing was there, and a kernel may have written it.
    MaybeSet,
}

/// Where an element is valid. One that is not present is as if the device had it: nobody
/// can use that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Copies {
    pub host: bool,
    pub device: OnDevice,
}

impl Copies {
    pub const ALL: Copies = Copies {
        host: true,
        device: OnDevice::Valid,
    };
}

/// The elements that are not valid on both sides, in order; spans that touch differ.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Content(Vec<(Span, Copies)>);

impl Content {
    /// What is so of elements of a span, each once.
    pub fn within(&self, span: Span) -> Vec<Copies> {
        let mut found: Vec<Copies> = self.pieces(span).into_iter().map(|p| p.1).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    pub fn any(&self, span: Span, is: impl Fn(Copies) -> bool) -> bool {
        self.within(span).into_iter().any(is)
    }

    /// The spans that are stale on a side.
    pub fn stale(&self, side: Side) -> Vec<Span> {
        let is = |c: Copies| match side {
            Side::Host => !c.host,
            Side::Device => c.device == OnDevice::Stale,
        };
        let all = self.0.iter().filter(|(_, c)| is(*c));
        all.map(|(s, _)| *s).collect()
    }

    /// A span, cut where what is so of its elements changes.
    fn pieces(&self, span: Span) -> Vec<(Span, Copies)> {
        let mut pieces = Vec::new();
        let mut at = span.lo;
        let mut push = |lo: i64, hi: i64, c: Copies| {
            if lo < hi {
                pieces.push((Span { lo, hi }, c));
            }
        };
        for (s, c) in self.0.iter().filter(|(s, _)| s.meets(span)) {
            push(at, s.lo, Copies::ALL);
            push(s.lo.max(span.lo), s.hi.min(span.hi), *c);
            at = s.hi;
        }
        push(at, span.hi, Copies::ALL);
        pieces
    }

    /// Changes what is so of the elements of a span.
    pub fn change(&mut self, span: Span, to: impl Fn(Copies) -> Copies) {
        if span.is_empty() {
            return;
        }
        let everything = Span {
            lo: i64::MIN,
            hi: i64::MAX,
        };
        let mut all: Vec<(Span, Copies)> = Vec::new();
        let [before, behind] = [
            Span {
                hi: span.lo,
                ..everything
            },
            Span {
                lo: span.hi,
                ..everything
            },
        ];
        let inside = self.pieces(span).into_iter().map(|(s, c)| (s, to(c)));
        let pieces = self.pieces(before).into_iter().chain(inside);
        for (s, c) in pieces.chain(self.pieces(behind)) {
            match all.last_mut() {
                _ if c == Copies::ALL => {}
                Some((l, d)) if l.hi == s.lo && *d == c => l.hi = s.hi,
                _ => all.push((s, c)),
            }
        }
        self.0 = all;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_cut_and_joined() {
        let stale = Copies {
            device: OnDevice::Stale,
            ..Copies::ALL
        };
        let span = |lo, hi| Span { lo, hi };
        let mut c = Content::default();
        c.change(span(0, 8), |_| stale);
        assert_eq!(c.0, [(span(0, 8), stale)]);
        c.change(span(2, 4), |_| Copies::ALL);
        assert_eq!(c.0, [(span(0, 2), stale), (span(4, 8), stale)]);
        assert!(!c.any(span(2, 4), |c| c == stale));
        assert!(c.any(span(3, 5), |c| c == stale));
        assert_eq!(c.within(span(1, 3)), [Copies::ALL, stale]);
        c.change(span(2, Span::END), |_| stale);
        assert_eq!(c.0, [(span(0, Span::END), stale)]);
        c.change(span(5, 5), |_| Copies::ALL);
        assert_eq!(c.0.len(), 1);
        c.change(span(0, Span::END), |_| Copies::ALL);
        assert_eq!(c, Content::default());
    }
}
