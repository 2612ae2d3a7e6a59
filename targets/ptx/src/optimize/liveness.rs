//! Which registers are live where.

use crate::cfg::Cfg;
use crate::ids::Reg;
use crate::module::Func;

/// Registers live at the start and the end of each block (by position), for
/// the registers that were asked for: those whose value a later instruction
/// may read. A guarded definition does not end the life of the old value.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// Row of each register; none for those left out.
    row: Vec<Option<u32>>,
    /// The register of each row.
    regs: Vec<Reg>,
    words: usize,
    live_in: Vec<u64>,
    live_out: Vec<u64>,
}

/// By register: whether some block reads a value that arrives there.
fn arriving(func: &Func, cfg: &Cfg) -> Vec<bool> {
    let mut arrives = vec![false; func.regs.len()];
    // The last block, counted from 1, that wrote the register for certain.
    let mut written = vec![0u32; func.regs.len()];
    for (b, block) in (1u32..).zip(&cfg.blocks) {
        let body = func.blocks.get(*block).map_or(&[][..], |b| &b.insts);
        for inst in body.iter().filter_map(|id| func.insts.get(*id)) {
            inst.for_each_use(|reg| {
                if let Some(flag) = arrives.get_mut(reg.index()) {
                    *flag |= written[reg.index()] != b;
                }
            });
            if inst.guard.is_none() {
                inst.for_each_def(|reg| {
                    if let Some(last) = written.get_mut(reg.index()) {
                        *last = b;
                    }
                });
            }
        }
    }
    arrives
}

impl Liveness {
    /// Of all registers.
    pub fn new(func: &Func, cfg: &Cfg) -> Liveness {
        Liveness::of(func, cfg, |_| true)
    }

    /// Of the chosen registers.
    pub fn of(func: &Func, cfg: &Cfg, wanted: impl Fn(Reg) -> bool) -> Liveness {
        // Others are live within a block at most: read only behind their
        // definition in it.
        let mut arrives = arriving(func, cfg);
        if let Some(flag) = func.result.and_then(|r| arrives.get_mut(r.index())) {
            *flag = true;
        }
        let mut rows = 0u32;
        let row: Vec<Option<u32>> = (0u32..)
            .zip(&arrives)
            .map(|(i, arrives)| {
                (*arrives && wanted(Reg::from_index(i))).then(|| {
                    rows += 1;
                    rows - 1
                })
            })
            .collect();
        let chosen = row.iter().enumerate().filter(|(_, row)| row.is_some());
        let regs: Vec<Reg> = chosen.map(|(i, _)| Reg::from_index(i as u32)).collect();
        let words = (rows as usize).div_ceil(64);
        let n = cfg.len();
        let mut uses = vec![0u64; words * n];
        let mut kills = vec![0u64; words * n];
        for (b, block) in cfg.blocks.iter().enumerate() {
            let Some(body) = func.blocks.get(*block) else {
                continue;
            };
            let at = b * words;
            for inst in body.insts.iter().filter_map(|id| func.insts.get(*id)) {
                inst.for_each_use(|reg| {
                    if let Some(Some(r)) = row.get(reg.index())
                        && kills[at + (*r / 64) as usize] >> (r % 64) & 1 == 0
                    {
                        uses[at + (*r / 64) as usize] |= 1 << (r % 64);
                    }
                });
                if inst.guard.is_some() {
                    continue;
                }
                inst.for_each_def(|reg| {
                    if let Some(Some(r)) = row.get(reg.index()) {
                        kills[at + (*r / 64) as usize] |= 1 << (r % 64);
                    }
                });
            }
        }
        let mut live = Liveness {
            row,
            regs,
            words,
            live_in: uses,
            live_out: vec![0; words * n],
        };
        live.result_is_read(func, cfg, &kills);
        live.flow(cfg, &kills);
        live
    }

    /// The result of a device function is read where it returns.
    fn result_is_read(&mut self, func: &Func, cfg: &Cfg, kills: &[u64]) {
        let Some(Some(r)) = func.result.and_then(|r| self.row.get(r.index()).copied()) else {
            return;
        };
        let (word, bit) = ((r / 64) as usize, 1u64 << (r % 64));
        for (b, exits) in cfg.exits.iter().enumerate() {
            if *exits {
                self.live_out[b * self.words + word] |= bit;
                if kills[b * self.words + word] & bit == 0 {
                    self.live_in[b * self.words + word] |= bit;
                }
            }
        }
    }

    fn flow(&mut self, cfg: &Cfg, kills: &[u64]) {
        let words = self.words;
        let mut changed = true;
        while changed {
            changed = false;
            for &b in cfg.rpo.iter().rev() {
                let at = b as usize * words;
                for w in 0..words {
                    let mut out = self.live_out[at + w];
                    for &s in &cfg.succs[b as usize] {
                        out |= self.live_in[s as usize * words + w];
                    }
                    let into = self.live_in[at + w] | out & !kills[at + w];
                    changed |= into != self.live_in[at + w] || out != self.live_out[at + w];
                    self.live_out[at + w] = out;
                    self.live_in[at + w] = into;
                }
            }
        }
    }

    /// How many registers are live at the starts of all blocks together.
    pub fn count_live_in(&self) -> usize {
        self.live_in.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether a register's value at the start of a block may be read.
    pub fn is_live_in(&self, block: u32, reg: Reg) -> bool {
        self.bit(&self.live_in, block, reg)
    }

    fn bit(&self, set: &[u64], block: u32, reg: Reg) -> bool {
        match self.row.get(reg.index()) {
            Some(Some(r)) => {
                let word = set.get(block as usize * self.words + (*r / 64) as usize);
                word.is_some_and(|w| w >> (r % 64) & 1 == 1)
            }
            _ => false,
        }
    }

    /// The registers live at the start of a block, in order.
    pub fn live_in(&self, block: u32) -> impl Iterator<Item = Reg> + '_ {
        self.row_of(&self.live_in, block)
    }

    /// The registers live at the end of a block, in order.
    pub fn live_out(&self, block: u32) -> impl Iterator<Item = Reg> + '_ {
        self.row_of(&self.live_out, block)
    }

    fn row_of<'s>(&'s self, set: &'s [u64], block: u32) -> impl Iterator<Item = Reg> + 's {
        let from = block as usize * self.words;
        let words = set.get(from..from + self.words).unwrap_or(&[]);
        let bits = words.iter().enumerate().flat_map(|(at, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                (bit < 64).then_some(at * 64 + bit as usize)
            })
        });
        bits.filter_map(|row| self.regs.get(row).copied())
    }
}
