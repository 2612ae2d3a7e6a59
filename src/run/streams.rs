//! Tokens and queues on the streams of a device.
//!
//! A lane is a stream with a count of what it was given. A token is a lane and a count,
//! so tokens need no memory; each lane keeps the events behind its last ops, and who
//! waits for an op that is further back waits for the first of these that comes after
//! it. A queue has a lane of its own, other ops share a few. So however long a program
//! runs, it needs so many streams and events and no more.

use crate::runtime::device::{Device, DeviceError, EventId, StreamId};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Events that a lane keeps.
const EVENTS: usize = 16;
/// Lanes that ops without a queue share.
const SHARED: usize = 8;
/// Lanes for queues; with more queues some share one, which is only slower.
const QUEUES: usize = 32;
/// Ops whose times nobody asked for yet: with more of them the host waits for the first,
/// so that it does not run ahead of the device without end.
const TIMED: usize = 256;

/// The number that stands for what is done.
pub const DONE: u64 = 0;

struct Lane {
    stream: StreamId,
    of_queues: bool,
    issued: u64,
    /// What the host has waited for.
    done: u64,
    /// Behind which count each event is, the oldest first.
    events: VecDeque<(u64, EventId)>,
}

/// An op with times that are not known yet.
struct Timed<T> {
    start: EventId,
    end: EventId,
    what: T,
}

/// The lanes of a device. `T` is what is to be said of an op once its time is known.
pub struct Streams<T> {
    device: Arc<dyn Device>,
    lanes: Vec<Lane>,
    queues: HashMap<i64, usize>,
    /// The lane of the op that was begun, and the event in front of it.
    current: Option<(usize, EventId)>,
    /// Whether work on the main stream may go on.
    main: bool,
    turn: usize,
    timed: VecDeque<Timed<T>>,
    spare: Vec<EventId>,
}

/// A lane and a count as a number.
fn token(lane: usize, count: u64) -> u64 {
    (lane as u64 + 1) << 48 | count & ((1 << 48) - 1)
}

impl<T> Streams<T> {
    pub fn new(device: Arc<dyn Device>) -> Streams<T> {
        Streams {
            device,
            lanes: Vec::new(),
            queues: HashMap::new(),
            current: None,
            main: false,
            turn: 0,
            timed: VecDeque::new(),
            spare: Vec::new(),
        }
    }

    /// The lane of a token and the count in it; none for what the host waited for.
    fn open(&self, token: u64) -> Option<(usize, u64)> {
        let lane = usize::try_from(token >> 48).ok()?.checked_sub(1)?;
        let count = token & ((1 << 48) - 1);
        (count > self.lanes.get(lane)?.done).then_some((lane, count))
    }

    fn add(&mut self, of_queues: bool) -> Result<usize, DeviceError> {
        let stream = self.device.create_stream()?;
        self.lanes.push(Lane {
            stream,
            of_queues,
            issued: 0,
            done: 0,
            events: VecDeque::with_capacity(EVENTS),
        });
        Ok(self.lanes.len() - 1)
    }

    fn event(&mut self) -> Result<EventId, DeviceError> {
        match self.spare.pop() {
            Some(e) => Ok(e),
            None => self.device.create_event(),
        }
    }

    /// The lane of a queue.
    fn queue(&mut self, number: i64) -> Result<usize, DeviceError> {
        if let Some(lane) = self.queues.get(&number) {
            return Ok(*lane);
        }
        let of_queues = (0..self.lanes.len()).filter(|l| self.lanes[*l].of_queues);
        let of_queues: Vec<usize> = of_queues.collect();
        let lane = match of_queues.len() < QUEUES {
            true => self.add(true)?,
            // The remainder is below their number.
            false => of_queues[number.rem_euclid(QUEUES as i64) as usize],
        };
        self.queues.insert(number, lane);
        Ok(lane)
    }

    /// A lane for an op without a queue: that of its first token if nothing came behind
    /// it, one that is free, or whose turn it is.
    fn choose(&mut self, tokens: &[u64]) -> Result<usize, DeviceError> {
        let first = tokens.first().and_then(|t| {
            let lane = usize::try_from(t >> 48).ok()?.checked_sub(1)?;
            let last = self.lanes.get(lane)?.issued;
            (t & ((1 << 48) - 1) == last).then_some(lane)
        });
        if let Some(lane) = first {
            return Ok(lane);
        }
        let shared: Vec<usize> = (0..self.lanes.len())
            .filter(|l| !self.lanes[*l].of_queues)
            .collect();
        let free = shared.iter().find(|l| {
            let lane = &self.lanes[**l];
            lane.issued == lane.done
        });
        if let Some(lane) = free {
            return Ok(*lane);
        }
        if shared.len() < SHARED {
            return self.add(false);
        }
        self.turn = (self.turn + 1) % shared.len();
        Ok(shared[self.turn])
    }

    /// What a lane is given from now on comes after a token.
    fn after(&self, lane: usize, token: u64) -> Result<(), DeviceError> {
        match self.open(token) {
            Some((from, count)) if from != lane => match self.behind(from, count) {
                Some((_, event)) => self.device.wait_event(self.lanes[lane].stream, event),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// The first event of a lane that is behind a count, and the count that it is behind.
    fn behind(&self, lane: usize, count: u64) -> Option<(u64, EventId)> {
        let mut events = self.lanes[lane].events.iter();
        events.find(|(at, _)| *at >= count).copied()
    }

    /// Something was put on a lane; its token.
    fn put(&mut self, lane: usize) -> Result<u64, DeviceError> {
        let full = self.lanes[lane].events.len() >= EVENTS;
        let event = match full.then(|| self.lanes[lane].events.pop_front()).flatten() {
            // Who waits for it waits for what it was behind then.
            Some((_, event)) => event,
            None => self.device.create_event()?,
        };
        let l = &mut self.lanes[lane];
        l.issued += 1;
        l.events.push_back((l.issued, event));
        self.device.record_event(event, l.stream)?;
        Ok(token(lane, l.issued))
    }

    /// Work on the main stream may go on when the next op begins.
    pub fn note_main(&mut self) {
        self.main = true;
    }

    /// The next op is asynchronous, after tokens, on a queue.
    ///
    /// # Errors
    /// What the device says.
    pub fn begin(&mut self, tokens: &[u64], queue: Option<i64>) -> Result<(), DeviceError> {
        if std::mem::take(&mut self.main) {
            self.device.synchronize(StreamId::MAIN)?;
        }
        let lane = match queue {
            Some(q) => self.queue(q)?,
            None => self.choose(tokens)?,
        };
        for t in tokens {
            self.after(lane, *t)?;
        }
        let start = self.event()?;
        self.device.record_event(start, self.lanes[lane].stream)?;
        self.current = Some((lane, start));
        Ok(())
    }

    /// The stream of the op that was begun; none for one that is not asynchronous.
    pub fn stream(&self) -> Option<StreamId> {
        self.current.map(|(lane, _)| self.lanes[lane].stream)
    }

    /// What is to be said of the op that was begun, once it is known how long it took.
    ///
    /// # Errors
    /// What the device says.
    pub fn time(&mut self, what: T) -> Result<(), DeviceError> {
        let Some((lane, start)) = self.current else {
            return Ok(());
        };
        let end = self.event()?;
        self.device.record_event(end, self.lanes[lane].stream)?;
        self.timed.push_back(Timed { start, end, what });
        // The event in front is this op's now.
        let start = self.event()?;
        self.current = Some((lane, start));
        Ok(())
    }

    /// The token of the op that was begun.
    ///
    /// # Errors
    /// What the device says.
    pub fn end(&mut self) -> Result<u64, DeviceError> {
        let Some((lane, start)) = self.current.take() else {
            return Ok(DONE);
        };
        self.spare.push(start);
        self.put(lane)
    }

    /// Ops whose times are known, or have to be since there are many, with microseconds.
    ///
    /// # Errors
    /// Faults of the work, or what the device says.
    pub fn take_timed(&mut self, all: bool) -> Result<Vec<(T, f64)>, DeviceError> {
        let mut out = Vec::new();
        while all || self.timed.len() > TIMED {
            let Some(t) = self.timed.pop_front() else {
                break;
            };
            let took = self.device.elapsed_us(t.start, t.end);
            self.spare.extend([t.start, t.end]);
            out.push((t.what, took?));
        }
        Ok(out)
    }

    /// The host waits for tokens and queues.
    ///
    /// # Errors
    /// Faults of the work, or what the device says.
    pub fn wait(&mut self, tokens: &[u64], queues: &[i64]) -> Result<(), DeviceError> {
        for t in tokens {
            self.wait_for(*t)?;
        }
        for q in queues {
            self.wait_for(self.last_of(*q))?;
        }
        Ok(())
    }

    fn wait_for(&mut self, token: u64) -> Result<(), DeviceError> {
        let Some((lane, count)) = self.open(token) else {
            return Ok(());
        };
        if let Some((at, event)) = self.behind(lane, count) {
            self.device.synchronize_event(event)?;
            self.lanes[lane].done = at;
        }
        Ok(())
    }

    /// The token of all that a queue was given. Also where that is done it tells the lane.
    fn last_of(&self, queue: i64) -> u64 {
        let lane = self.queues.get(&queue);
        lane.map_or(DONE, |l| token(*l, self.lanes[*l].issued))
    }

    /// A token for tokens and queues, or for all; `on` goes on after these.
    ///
    /// # Errors
    /// What the device says.
    pub fn join(
        &mut self,
        tokens: &[u64],
        queues: &[i64],
        all: bool,
        on: Option<i64>,
    ) -> Result<u64, DeviceError> {
        let mut of = tokens.to_vec();
        for q in queues {
            // A queue that was not used yet has a lane that ops can go on.
            self.queue(*q)?;
            of.push(self.last_of(*q));
        }
        if all {
            of.extend((0..self.lanes.len()).map(|l| token(l, self.lanes[l].issued)));
        }
        let open: Vec<u64> = of
            .iter()
            .copied()
            .filter(|t| self.open(*t).is_some())
            .collect();
        let lane = match (on, &open[..]) {
            (Some(q), _) => self.queue(q)?,
            (None, []) => return Ok(of.first().copied().unwrap_or(DONE)),
            (None, [one]) => return Ok(*one),
            (None, _) => self.choose(&open)?,
        };
        let elsewhere = |t: &&u64| self.open(**t).is_some_and(|(l, _)| l != lane);
        if !open.iter().any(|t| elsewhere(&t)) {
            return Ok(token(lane, self.lanes[lane].issued));
        }
        for t in &open {
            self.after(lane, *t)?;
        }
        self.put(lane)
    }

    /// The host waits for everything.
    ///
    /// # Errors
    /// Faults of the work, or what the device says.
    pub fn wait_all(&mut self) -> Result<(), DeviceError> {
        for l in &mut self.lanes {
            if l.done < l.issued {
                self.device.synchronize(l.stream)?;
                l.done = l.issued;
            }
        }
        Ok(())
    }
}

impl<T> Drop for Streams<T> {
    fn drop(&mut self) {
        // These fail only after a fault, which was reported where it was noticed.
        let events = self.lanes.iter().flat_map(|l| &l.events).map(|e| e.1);
        let timed = self.timed.iter().flat_map(|t| [t.start, t.end]);
        let current = self.current.iter().map(|c| c.1);
        let spare = self.spare.iter().copied();
        for e in events.chain(timed).chain(current).chain(spare) {
            let _ = self.device.destroy_event(e);
        }
        for l in &self.lanes {
            let _ = self.device.destroy_stream(l.stream);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::emulator::EmulatorDevice;

    fn streams() -> Streams<u32> {
        Streams::new(Arc::new(EmulatorDevice::new(Default::default())))
    }

    fn op(s: &mut Streams<u32>, tokens: &[u64], queue: Option<i64>) -> (StreamId, u64) {
        s.begin(tokens, queue).unwrap();
        let stream = s.stream().unwrap();
        s.time(7).unwrap();
        (stream, s.end().unwrap())
    }

    #[test]
    fn what_comes_after_one_op_goes_on_in_its_stream() {
        let mut s = streams();
        let (a, first) = op(&mut s, &[], None);
        let (b, second) = op(&mut s, &[first], None);
        assert_eq!(a, b);
        // The first is no longer the last of its lane.
        let (c, _) = op(&mut s, &[first], None);
        assert_ne!(a, c);
        s.wait(&[second], &[]).unwrap();
        let (d, _) = op(&mut s, &[], None);
        assert_eq!(a, d);
    }

    #[test]
    fn queues_have_streams_of_their_own() {
        let mut s = streams();
        let (a, _) = op(&mut s, &[], Some(1));
        let (b, _) = op(&mut s, &[], Some(2));
        let (c, _) = op(&mut s, &[], Some(1));
        assert_eq!(a, c);
        assert_ne!(a, b);
        // A kernel after the token of a queue goes on in that, and is there already.
        let before = s.join(&[], &[1], false, None).unwrap();
        let (d, kernel) = op(&mut s, &[before], None);
        assert_eq!(a, d);
        assert_eq!(s.join(&[kernel], &[], false, Some(1)), Ok(kernel));
        // So also where the queue was not used yet, or is done.
        let fresh = s.join(&[], &[5], false, None).unwrap();
        let (e, _) = op(&mut s, &[fresh], None);
        let (f, _) = op(&mut s, &[], Some(5));
        assert_eq!(e, f);
        s.wait(&[], &[5]).unwrap();
        let fresh = s.join(&[], &[5], false, None).unwrap();
        assert_eq!(op(&mut s, &[fresh], None).0, e);
    }

    #[test]
    fn a_long_run_needs_no_more_than_a_short_one() {
        let mut s = streams();
        let mut tokens = vec![DONE; 3];
        for k in 0..20_000i64 {
            let queue = (k % 5 == 0).then_some(k % 100);
            let (_, t) = op(&mut s, &tokens, queue);
            let t = match k % 7 {
                0 => s.join(&tokens, &[k % 3], k % 2 == 0, Some(k % 4)).unwrap(),
                1 => s.join(&tokens, &[], false, None).unwrap(),
                _ => t,
            };
            tokens[k as usize % 3] = t;
            s.take_timed(false).unwrap();
        }
        assert!(s.lanes.len() <= SHARED + QUEUES, "{}", s.lanes.len());
        assert!(s.lanes.iter().all(|l| l.events.len() <= EVENTS));
        assert!(s.spare.len() + 2 * s.timed.len() <= 2 * TIMED + 4);
        s.wait_all().unwrap();
        assert!(s.lanes.iter().all(|l| l.done == l.issued));
        assert_eq!(s.take_timed(true).unwrap().len(), TIMED);
    }
}
