//! Bandwidths of caches and memory.

use super::Effort;
use crate::targets::machine::Cores;
use std::hint::black_box;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Rates by their names in descriptions.
pub fn rates(effort: &Effort, cores: &Cores) -> Vec<(&'static str, f64)> {
    let mut out = Vec::new();
    // Two thirds of a cache: some of it other data has.
    for (key, bytes) in [
        ("l1_gb_s", cores.l1_bytes),
        ("l2_gb_s", cores.l2_bytes),
        ("l3_gb_s", cores.l3_bytes),
    ] {
        let words = vec![1u64; bytes as usize / 12];
        if !words.is_empty() {
            out.push((key, reading(effort, &words)));
        }
    }
    let mut words = vec![1u64; effort.memory / 8];
    out.push(("read_gb_s", reading(effort, &words)));
    let bytes = words.len() as f64 * 8.0;
    let fill = effort.best(bytes, || {
        let with = black_box(3);
        black_box(&mut words[..]).fill(with);
    });
    out.push(("write_gb_s", fill / 1e9));
    let half = words.len() / 2;
    let copied = effort.best(bytes, || {
        let (from, to) = black_box(&mut words[..]).split_at_mut(half);
        let n = from.len().min(to.len());
        to[..n].copy_from_slice(&from[..n]);
    });
    out.push(("copy_gb_s", copied / 1e9));
    out.push(("lines_per_us", lines(effort, cores) / 1e6));
    let together = |work: &(dyn Fn(&mut [u64]) + Sync)| all(effort, &mut words.clone(), work);
    out.push((
        "read_all_gb_s",
        together(&|part| {
            black_box(sum(part));
        }),
    ));
    out.push(("write_all_gb_s", together(&|part| part.fill(black_box(5)))));
    out
}

fn reading(effort: &Effort, words: &[u64]) -> f64 {
    let bytes = size_of_val(words) as f64;
    effort.best(bytes, || {
        black_box(sum(black_box(words)));
    }) / 1e9
}

/// The sum of an array, by the widest vectors.
fn sum(words: &[u64]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f") {
        // SAFETY: the machine has the instructions.
        return unsafe { x86::sum_512(words) };
    } else if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has the instructions.
        return unsafe { x86::sum_256(words) };
    }
    words.iter().fold(0, |sum, word| sum.wrapping_add(*word))
}

/// Sums in eight registers, each of as many words.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_add_epi64, _mm256_loadu_si256, _mm256_setzero_si256,
        _mm512_add_epi64, _mm512_loadu_si512, _mm512_setzero_si512,
    };

    macro_rules! sum {
        ($name:ident, $feature:literal, $vector:ty, $lanes:literal, $zero:ident, $load:ident, $add:ident) => {
            #[target_feature(enable = $feature)]
            pub unsafe fn $name(words: &[u64]) -> u64 {
                let mut sums: [$vector; 8] = [$zero(); 8];
                let (whole, rest) = words.as_chunks::<{ 8 * $lanes }>();
                for chunk in whole {
                    for (i, sum) in sums.iter_mut().enumerate() {
                        // SAFETY: the chunk has eight times as many words.
                        let v = unsafe { $load(chunk.as_ptr().add($lanes * i).cast()) };
                        *sum = $add(*sum, v);
                    }
                }
                // SAFETY: both are words and nothing else.
                let sums: [u64; 8 * $lanes] = unsafe { std::mem::transmute(sums) };
                let all = sums.iter().chain(rest);
                all.fold(0, |sum, word| sum.wrapping_add(*word))
            }
        };
    }

    sum!(
        sum_256,
        "avx2",
        __m256i,
        4,
        _mm256_setzero_si256,
        _mm256_loadu_si256,
        _mm256_add_epi64
    );
    sum!(
        sum_512,
        "avx512f",
        __m512i,
        8,
        _mm512_setzero_si512,
        _mm512_loadu_si512,
        _mm512_add_epi64
    );
}

/// Lines that a core gets a second of an array behind the nearest caches, a number of each, each
/// in another place than the one before.
fn lines(effort: &Effort, cores: &Cores) -> f64 {
    // A prime number of lines apart, so that each is met.
    const APART: usize = 61;
    let line = (cores.line_bytes as usize / 8).max(1);
    let bytes = (4 * cores.l2_bytes as usize).min(effort.memory.max(1 << 16));
    let count = (bytes / 8 / line).max(APART + 1);
    let words = vec![1u64; count * line];
    effort.best(count as f64, || {
        let words = black_box(&words[..]);
        let (mut at, mut sum) = (0, 0u64);
        for _ in 0..count {
            sum = sum.wrapping_add(words[at * line]);
            at += APART;
            at -= if at >= count { count } else { 0 };
        }
        black_box(sum);
    })
}

/// Bytes a nanosecond of all threads, each at work on a part of an array of its own.
fn all(effort: &Effort, words: &mut [u64], work: &(dyn Fn(&mut [u64]) + Sync)) -> f64 {
    let threads = effort.threads.max(1);
    let part = (words.len() / threads).max(1);
    let bytes = (words.len() / part).min(threads) * part * 8;
    let begin = Barrier::new(words.chunks_mut(part).take(threads).len());
    let mut best = 0f64;
    for _ in 0..effort.tries.max(1) {
        let longest = AtomicU64::new(1);
        std::thread::scope(|s| {
            for part in words.chunks_mut(part).take(threads) {
                let (begin, longest) = (&begin, &longest);
                s.spawn(move || {
                    work(part);
                    begin.wait();
                    let start = Instant::now();
                    work(part);
                    let taken = start.elapsed().as_nanos() as u64;
                    longest.fetch_max(taken, Ordering::Relaxed);
                });
            }
        });
        best = best.max(bytes as f64 / longest.into_inner() as f64);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::sum;

    #[test]
    fn all_words_are_read() {
        let words: Vec<u64> = (0..1000).map(|i| (i * i) << 40).collect();
        for n in [0, 1, 63, 64, 65, 999, 1000] {
            let expected = words[..n].iter().fold(0u64, |s, w| s.wrapping_add(*w));
            assert_eq!(sum(&words[..n]), expected, "{n}");
        }
    }
}
