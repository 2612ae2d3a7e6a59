//! What functions of the C library do with the program's memory.
//!
//! These names are reserved: another function of such a name, outside of the file, is not C's
//! (C11 7.1.3). A function that is not here may do anything.

use terrace_c::hir::{Function, Unit};

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// New memory.
    Allocates,
    /// Memory that is gone when the function returns.
    AllocatesOnStack,
    /// Its first argument is memory that it takes back, and what it gives may be that.
    Reallocates,
    Frees,
    /// New memory, whose address is written where the first argument leads.
    AllocatesTo,
    /// Reads where its second argument leads, and writes where its first does, which it
    /// gives.
    Copies,
    /// Gives a pointer to where its first argument leads; uses arguments as the letters say.
    GivesFirst(&'static str),
    /// Uses what its arguments lead to, a letter each, the last for all that follow: `r` reads,
    /// `w` writes, `-` neither.
    Uses(&'static str),
}

/// Functions by what they do.
const TABLE: &[(Does, &str)] = &[
    (
        Does::Allocates,
        "malloc calloc aligned_alloc strdup strndup memalign valloc",
    ),
    (Does::AllocatesOnStack, "alloca"),
    (Does::AllocatesTo, "posix_memalign"),
    (Does::Reallocates, "realloc"),
    (Does::Frees, "free"),
    (
        Does::Copies,
        "memcpy memmove mempcpy strcpy strcat stpcpy strncpy strncat",
    ),
    (Does::GivesFirst("w-"), "memset"),
    (
        Does::GivesFirst("rr-"),
        "memchr strchr strrchr strstr strpbrk index rindex",
    ),
    // What is printed, and what `%n` writes.
    (Does::Uses("rw"), "printf"),
    (Does::Uses("-rw"), "fprintf"),
    (Does::Uses("wrw"), "sprintf"),
    (Does::Uses("w-rw"), "snprintf"),
    (Does::Uses("rw"), "scanf sscanf"),
    (Does::Uses("-rw"), "fscanf"),
    (
        Does::Uses("r-"),
        "puts fputs fwrite perror atoi atol atoll atof getenv remove",
    ),
    (Does::Uses("rr-"), "fopen __assert_fail"),
    (
        Does::Uses("rr-"),
        "memcmp strcmp strncmp strcoll strlen strspn strcspn",
    ),
    (Does::Uses("w-"), "fread fgets time gettimeofday"),
    (
        Does::Uses("-w"),
        "clock_gettime frexpf modf modff timespec_get",
    ),
    (
        Does::Uses("-"),
        "clock rand srand drand48 srand48 lrand48 random srandom difftime fclose fflush putchar \
         putc fputc getchar getc fgetc rewind fseek ftell feof ferror abs labs llabs isalpha \
         isdigit isspace isalnum isupper islower ispunct isprint isxdigit toupper tolower \
         clz ctz popcount parity clzl ctzl popcountl clzll ctzll popcountll expect \
         unreachable prefetch abort _Exit _exit omp_get_wtime omp_get_max_threads omp_get_num_procs",
    ),
    (
        Does::Uses("-"),
        "acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs floor \
         lgamma log log10 log1p log2 logb nearbyint rint round roundeven sin sinh sqrt tan tanh \
         tgamma trunc j0 j1 y0 y1 exp10 atan2 copysign fdim fmax fmin fmod hypot nextafter pow \
         remainder fma ldexp scalbn scalbln ilogb finite isinf isnan signbit isfinite isnormal \
         fpclassify lrint lround llrint llround huge_val inf nan",
    ),
    (
        Does::Uses("-"),
        "acosf acoshf asinf asinhf atanf atanhf cbrtf ceilf cosf coshf erff erfcf expf exp2f \
         expm1f fabsf floorf lgammaf logf log10f log1pf log2f logbf nearbyintf rintf roundf \
         roundevenf sinf sinhf sqrtf tanf tanhf tgammaf truncf exp10f atan2f copysignf fdimf \
         fmaxf fminf fmodf hypotf nextafterf powf remainderf fmaf ldexpf scalbnf scalblnf ilogbf \
         isinff isnanf signbitf lrintf lroundf llrintf llroundf huge_valf inff nanf",
    ),
];

/// What a function of the library does; `None` if it is not known.
pub fn does(name: &str) -> Option<Does> {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let has = |names: &str| names.split_whitespace().any(|n| n == plain);
    TABLE.iter().find(|(_, names)| has(names)).map(|(d, _)| *d)
}

/// Whether a function is one of the C library that a header defines: with `_FORTIFY_SOURCE`, which
/// some compilers set by themselves, `printf` and `memcpy` are inline functions that check sizes.
pub fn is_of_header(unit: &Unit, f: &Function) -> bool {
    does(&f.name).is_some() && !unit.source.is_main(f.span.start as usize)
}

/// How a call uses what argument `i` leads to: whether it reads, and writes.
pub fn uses(does: Does, i: usize) -> (bool, bool) {
    let letters = match does {
        Does::Allocates => "r",
        Does::AllocatesOnStack => "-",
        Does::AllocatesTo => "w-",
        // The memory is gone, which whoever looks at the call sees to.
        Does::Reallocates | Does::Frees => "-",
        Does::Copies => "wr-",
        Does::GivesFirst(l) | Does::Uses(l) => l,
    };
    let letter = letters.chars().nth(i).or_else(|| letters.chars().last());
    match letter {
        Some('r') => (true, false),
        // What is written in part keeps the rest.
        Some('w') => (true, true),
        _ => (false, false),
    }
}

/// Functions that return where they did before, or into which control comes from elsewhere.
pub fn returns_again(name: &str) -> bool {
    matches!(
        name.trim_start_matches('_').trim_start_matches("builtin_"),
        "setjmp" | "sigsetjmp" | "vfork" | "getcontext" | "swapcontext" | "makecontext" | "savectx"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters() {
        let printf = does("printf").unwrap();
        assert_eq!(uses(printf, 0), (true, false));
        assert_eq!(uses(printf, 5), (true, true));
        let math = does("__builtin_sqrt").unwrap();
        assert_eq!(uses(math, 0), (false, false));
        assert_eq!(uses(does("memcpy").unwrap(), 1), (true, false));
        assert_eq!(does("qsort"), None);
        assert_eq!(does("exit"), None);
        assert!(returns_again("_setjmp") && returns_again("__builtin_setjmp"));
        assert!(!returns_again("longjmp"));
    }
}
