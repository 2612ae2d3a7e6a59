//! Whether a thread computes with subnormal numbers, or takes them for zero.
//!
//! Cores are slow where an operand or a result is subnormal, some by a factor of a hundred.
//! A register of each thread says that they count as zero: bits of MXCSR on x86-64, one of FPCR
//! on aarch64. Rust's own code may assume that nobody has set them. So they are set around
//! compiled code alone, and what they were is put back behind it.

use std::fmt;

/// How a thread treats subnormal numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mode(u64);

/// That this machine has no such register, or none that is known here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unsupported;

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "subnormal numbers cannot be flushed to zero on {}, only on x86_64 and aarch64",
            std::env::consts::ARCH
        )
    }
}

impl std::error::Error for Unsupported {}

impl Mode {
    /// As IEEE 754 has them.
    pub const STRICT: Mode = Mode(0);
    /// Subnormal operands and results are zeros of their signs.
    pub const FLUSH: Mode = Mode(machine::BITS);

    /// The mode that is asked for.
    ///
    /// # Errors
    ///
    /// Where there is but one.
    pub fn flushing(flush: bool) -> Result<Mode, Unsupported> {
        match flush {
            true if Mode::FLUSH == Mode::STRICT => Err(Unsupported),
            true => Ok(Mode::FLUSH),
            false => Ok(Mode::STRICT),
        }
    }

    /// That of this thread.
    #[inline]
    pub fn current() -> Mode {
        Mode(machine::read() & machine::BITS)
    }

    /// Calls compiled code in this mode, and puts back the one from before. Flags that the code
    /// raises, as that a result was inexact, stay raised.
    #[inline]
    pub fn around<R>(self, compiled: impl FnOnce() -> R) -> R {
        let _before = Restored::entering(self);
        compiled()
    }

    /// As [`Mode::around`], but a thread that flushes anyway goes on to do so.
    #[inline]
    pub fn or_current_around<R>(self, compiled: impl FnOnce() -> R) -> R {
        Mode(self.0 | Mode::current().0).around(compiled)
    }
}

/// Puts a mode back when it goes, also where a panic passes.
struct Restored(Option<Mode>);

impl Restored {
    #[inline]
    fn entering(mode: Mode) -> Restored {
        let before = Mode::current();
        // Writing the register waits for all that is on its way.
        let differs = before != mode;
        if differs {
            set(mode);
        }
        Restored(differs.then_some(before))
    }
}

impl Drop for Restored {
    #[inline]
    fn drop(&mut self) {
        if let Some(before) = self.0 {
            set(before);
        }
    }
}

#[inline]
fn set(mode: Mode) {
    machine::write(machine::read() & !machine::BITS | mode.0);
}

#[cfg(target_arch = "x86_64")]
mod machine {
    use std::arch::asm;

    /// "Denormals are zeros" and "flush to zero".
    pub const BITS: u64 = 1 << 6 | 1 << 15;

    #[inline]
    pub fn read() -> u64 {
        let mut word = 0u32;
        // SAFETY: it stores four bytes where it is told.
        unsafe { asm!("stmxcsr [{}]", in(reg) &mut word, options(nostack, preserves_flags)) };
        u64::from(word)
    }

    #[inline]
    pub fn write(word: u64) {
        let word = word as u32;
        // SAFETY: only bits that this module names are other than those that were read, and
        // every x86-64 has them. Callers run no arithmetic of Rust's before they are put back.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &word, options(nostack, preserves_flags)) };
    }
}

#[cfg(target_arch = "aarch64")]
mod machine {
    use std::arch::asm;

    /// FZ: of operands and results, in single and double precision.
    pub const BITS: u64 = 1 << 24;

    #[inline]
    pub fn read() -> u64 {
        let word: u64;
        // SAFETY: it reads a register that each thread has.
        unsafe { asm!("mrs {}, fpcr", out(reg) word, options(nomem, nostack, preserves_flags)) };
        word
    }

    #[inline]
    pub fn write(word: u64) {
        // SAFETY: only the bit that this module names is another than was read. Callers run no
        // arithmetic of Rust's before it is put back.
        unsafe { asm!("msr fpcr, {}", in(reg) word, options(nomem, nostack, preserves_flags)) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod machine {
    pub const BITS: u64 = 0;

    pub fn read() -> u64 {
        0
    }

    pub fn write(_: u64) {}
}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::*;
    use std::hint::black_box;

    /// A product, by an instruction that stays where it stands.
    #[inline(never)]
    fn product(a: f64, b: f64) -> f64 {
        black_box(black_box(a) * black_box(b))
    }

    fn half_of_least() -> f64 {
        product(f64::MIN_POSITIVE, 0.5)
    }

    #[test]
    fn it_holds_inside_and_not_behind() {
        let control = machine::read();
        assert_eq!(Mode::current(), Mode::STRICT);
        assert!(half_of_least() > 0.0);
        assert_eq!(Mode::flushing(true), Ok(Mode::FLUSH));
        let (inside, operand) = Mode::FLUSH.around(|| {
            let operand = product(f64::from_bits(1), 1e300);
            (half_of_least().to_bits(), operand.to_bits())
        });
        assert_eq!((inside, operand), (0, 0));
        assert!(half_of_least() > 0.0);
        assert_eq!(Mode::current(), Mode::STRICT);
        // What is left are flags, as that a result was inexact.
        assert_eq!(control & !0x3f, machine::read() & !0x3f);
    }

    #[test]
    fn modes_nest_and_a_panic_puts_them_back() {
        Mode::FLUSH.around(|| {
            Mode::STRICT.around(|| assert_eq!(Mode::current(), Mode::STRICT));
            Mode::STRICT.or_current_around(|| assert_eq!(Mode::current(), Mode::FLUSH));
            assert_eq!(Mode::current(), Mode::FLUSH);
        });
        let caught = std::panic::catch_unwind(|| Mode::FLUSH.around(|| panic!("on purpose")));
        assert!(caught.is_err());
        assert_eq!(Mode::current(), Mode::STRICT);
    }

    #[test]
    fn where_there_is_none_it_is_said() {
        let said = Unsupported.to_string();
        assert!(
            said.starts_with("subnormal numbers cannot be flushed to zero on "),
            "{said}"
        );
        assert!(said.ends_with(", only on x86_64 and aarch64"), "{said}");
    }
}
