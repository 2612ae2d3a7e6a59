//! Types of the functions of the C library that a compiler knows without a header.

use std::rc::Rc;

use crate::sema::types::{QType, Quals};
use crate::types::{Function, Rank, Type};

/// Functions by their signature: the result, then the parameters, a letter each.
/// `d` double, `f` float, `i` int, `u` unsigned, `l` long, `L` unsigned long, `x` long
/// long, `X` unsigned long long, `p` void *, `q` const void *, `s` char *, `c` const
/// char *, `D` double *, `F` float *, `I` int *, `v` void; `.` more arguments.
const TABLE: &[(&str, &str)] = &[
    (
        "dd",
        "acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs \
         floor lgamma log log10 log1p log2 logb nearbyint rint round roundeven sin sinh sqrt \
         tan tanh tgamma trunc j0 j1 y0 y1 exp10 significand",
    ),
    (
        "ff",
        "acosf acoshf asinf asinhf atanf atanhf cbrtf ceilf cosf coshf erff erfcf expf exp2f \
         expm1f fabsf floorf lgammaf logf log10f log1pf log2f logbf nearbyintf rintf roundf \
         roundevenf sinf sinhf sqrtf tanf tanhf tgammaf truncf j0f j1f y0f y1f exp10f",
    ),
    (
        "ddd",
        "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder drem",
    ),
    (
        "fff",
        "atan2f copysignf fdimf fmaxf fminf fmodf hypotf nextafterf powf remainderf",
    ),
    ("dddd", "fma"),
    ("ffff", "fmaf"),
    ("ddi", "ldexp scalbn powi"),
    ("ffi", "ldexpf scalbnf powif"),
    ("ddl", "scalbln"),
    ("ddI", "frexp"),
    ("ffI", "frexpf"),
    ("ddD", "modf"),
    ("ffF", "modff"),
    ("id", "ilogb finite isinf isnan signbit"),
    ("if", "ilogbf finitef isinff isnanf signbitf"),
    ("ld", "lrint lround lceil lfloor"),
    ("lf", "lrintf lroundf lceilf lfloorf"),
    ("xd", "llrint llround"),
    ("xf", "llrintf llroundf"),
    (
        "ii",
        "abs toupper tolower isalpha isdigit isspace isalnum isupper islower ispunct isprint isxdigit putchar",
    ),
    ("ll", "labs"),
    ("xx", "llabs"),
    ("pL", "malloc alloca"),
    ("pLL", "calloc aligned_alloc"),
    ("ppL", "realloc"),
    ("vp", "free"),
    ("ppqL", "memcpy memmove mempcpy"),
    ("ppiL", "memset"),
    ("iqqL", "memcmp"),
    ("pqiL", "memchr"),
    ("Lc", "strlen"),
    ("ssc", "strcpy strcat stpcpy"),
    ("sscL", "strncpy strncat"),
    ("icc", "strcmp strcoll"),
    ("iccL", "strncmp"),
    ("sci", "strchr strrchr index rindex"),
    ("scc", "strstr strpbrk"),
    ("Lcc", "strspn strcspn"),
    ("sc", "strdup"),
    ("ic", "puts atoi"),
    ("ic.", "printf scanf"),
    ("isc.", "sprintf"),
    ("icc.", "sscanf"),
    ("isLc.", "snprintf"),
    ("vv", "abort trap unreachable"),
    ("vi", "exit _exit"),
    ("vq.", "prefetch"),
    ("vpp", "__clear_cache"),
    ("iu", "clz ctz popcount parity"),
    ("iL", "clzl ctzl popcountl parityl"),
    ("iX", "clzll ctzll popcountll parityll"),
    ("ii", "ffs clrsb"),
    ("il", "ffsl clrsbl"),
    ("ix", "ffsll clrsbll"),
    ("hh", "bswap16"),
    ("uu", "bswap32"),
    ("LL", "bswap64"),
];

/// The type of a function of the library, with plain `char` as given; none if the name is
/// not known.
pub(super) fn function(name: &str, char: &Type) -> Option<Type> {
    let (signature, _) = TABLE
        .iter()
        .find(|(_, names)| names.split_whitespace().any(|n| n == name))?;
    let mut letters = signature.chars();
    let result = letter(letters.next()?, char)?;
    let rest: Vec<char> = letters.collect();
    let params = rest.iter().filter(|c| !matches!(c, 'v' | '.'));
    Some(Type::Function(Rc::new(Function {
        result,
        params: params.map(|c| letter(*c, char)).collect::<Option<_>>()?,
        variadic: rest.contains(&'.'),
        old_style: false,
    })))
}

fn letter(c: char, char: &Type) -> Option<Type> {
    let constant = |ty| {
        QType {
            ty,
            quals: Quals {
                constant: true,
                ..Quals::default()
            },
        }
        .pointer()
    };
    Some(match c {
        'v' => Type::Void,
        'd' => Type::DOUBLE,
        'f' => Type::FLOAT,
        'i' => Type::INT,
        'h' => Type::int(16, false, Rank::Short),
        'u' => Type::UINT,
        'l' => Type::LONG,
        'L' => Type::ULONG,
        'x' => Type::int(64, true, Rank::LongLong),
        'X' => Type::int(64, false, Rank::LongLong),
        'p' => Type::pointer_to(Type::Void),
        'q' => constant(Type::Void),
        's' => Type::pointer_to(char.clone()),
        'c' => constant(char.clone()),
        'D' => Type::pointer_to(Type::DOUBLE),
        'F' => Type::pointer_to(Type::FLOAT),
        'I' => Type::pointer_to(Type::INT),
        _ => return None,
    })
}
