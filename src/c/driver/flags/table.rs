//! What options of the C compiler mean for regions, as data.

/// What is done about an option.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decision {
    /// The front end follows it.
    Front(Setting),
    /// It is followed where numbers are computed, or by the analysis.
    Followed,
    /// No region depends on it, for this reason.
    Irrelevant(&'static str),
    /// No code is made for regions under it: they would have what is said here.
    Host(&'static str),
    /// Objects for another machine are left to the compiler as a whole, with a warning.
    Machine,
}

/// What the front end can follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Setting {
    /// Plain `char` has no sign.
    UnsignedChar,
    /// Plain `char` has a sign, as it has without options.
    SignedChar,
    /// An enumeration has the smallest type that holds its values.
    ShortEnums,
    /// Members of records are aligned to at most the option's value in bytes, or 1 where it has
    /// none.
    Pack,
    /// Floating constants without a suffix are `float`.
    SingleConstants,
    /// `wchar_t` has 16 bits and no sign.
    ShortWchar,
    /// Only names that begin with `__builtin_` mean functions of the C library.
    NoBuiltins,
}

/// An option and what undoes it.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// In the form in which it changes something; with `=` at the end, with any value.
    pub on: &'static str,
    /// Words that take it back, apart with blanks.
    pub off: &'static str,
    /// What becomes of regions under it.
    pub decision: Decision,
}

const fn row(on: &'static str, off: &'static str, decision: Decision) -> Row {
    Row { on, off, decision }
}

use Decision::{Followed, Front, Host, Irrelevant, Machine};

/// Allowed, not demanded: regions may be more exact.
const MAY: Decision = Irrelevant("it allows more than C does, which regions make no use of");
const NO_LONG_DOUBLE: Decision = Irrelevant("`long double` is not computed with in regions");

/// Every option of GCC 12 that changes what a C program means or how data lies in memory.
/// Options that are not here only choose how code is made, or what is warned of.
pub const TABLE: &[Row] = &[
    // Types.
    row(
        "-funsigned-char",
        "-fno-unsigned-char -fsigned-char",
        Front(Setting::UnsignedChar),
    ),
    row(
        "-fno-signed-char",
        "-fsigned-char -fno-unsigned-char",
        Front(Setting::UnsignedChar),
    ),
    row("-fsigned-char", "", Front(Setting::SignedChar)),
    row(
        "-fshort-enums",
        "-fno-short-enums",
        Front(Setting::ShortEnums),
    ),
    row("-fpack-struct", "-fno-pack-struct", Front(Setting::Pack)),
    row("-fpack-struct=", "-fno-pack-struct", Front(Setting::Pack)),
    row(
        "-fshort-wchar",
        "-fno-short-wchar",
        Front(Setting::ShortWchar),
    ),
    row(
        "-fsigned-bitfields",
        "",
        Irrelevant("bit-fields are not used in regions"),
    ),
    row(
        "-funsigned-bitfields",
        "",
        Irrelevant("bit-fields are not used in regions"),
    ),
    row(
        "-mms-bitfields",
        "-mno-ms-bitfields",
        Host("records laid out as Microsoft's compiler does"),
    ),
    row("-m96bit-long-double", "", NO_LONG_DOUBLE),
    row("-m128bit-long-double", "", NO_LONG_DOUBLE),
    row("-mlong-double-64", "", NO_LONG_DOUBLE),
    row("-mlong-double-80", "", NO_LONG_DOUBLE),
    row("-mlong-double-128", "", NO_LONG_DOUBLE),
    row(
        "-malign-double",
        "",
        Irrelevant("`double` is aligned so on 64-bit machines"),
    ),
    row(
        "-mno-align-double",
        "",
        Irrelevant("it is for 32-bit machines"),
    ),
    row("-m32", "-m64", Machine),
    row("-m16", "-m64", Machine),
    row("-mx32", "-m64", Machine),
    row("-miamcu", "-mno-iamcu", Machine),
    row(
        "-mabi=ms",
        "-mabi=sysv",
        Host("calls in Microsoft's convention"),
    ),
    // Characters.
    row(
        "-fexec-charset=",
        "-fexec-charset=UTF-8 -fexec-charset=utf-8",
        Host("characters in another code than UTF-8"),
    ),
    row(
        "-fwide-exec-charset=",
        "-fwide-exec-charset=UTF-32 -fwide-exec-charset=UTF-32LE",
        Host("wide characters in another code than UTF-32"),
    ),
    row(
        "-finput-charset=",
        "-finput-charset=UTF-8 -finput-charset=utf-8",
        Host("text in another code than UTF-8"),
    ),
    // Integers and pointers.
    row(
        "-fwrapv",
        "-fno-wrapv",
        Host("signed numbers that wrap round where they overflow"),
    ),
    row(
        "-fno-strict-overflow",
        "-fstrict-overflow -fno-wrapv",
        Host("signed numbers that wrap round where they overflow"),
    ),
    row(
        "-ftrapv",
        "-fno-trapv -fwrapv",
        Host("signed numbers that end the program where they overflow"),
    ),
    row(
        "-fwrapv-pointer",
        "-fno-wrapv-pointer",
        Host("pointers that wrap round where they overflow"),
    ),
    row(
        "-fno-strict-aliasing",
        "",
        Irrelevant("regions never take memory apart by its types"),
    ),
    row(
        "-fno-delete-null-pointer-checks",
        "",
        Irrelevant("no test of a pointer is left out in regions"),
    ),
    row(
        "-fno-aggressive-loop-optimizations",
        "",
        Irrelevant("how often loops run is not taken from what they access"),
    ),
    row(
        "-ftrivial-auto-var-init=",
        "-ftrivial-auto-var-init=uninitialized",
        Host("variables that have a value before any is given to them"),
    ),
    // Constants and numbers with fractions.
    row(
        "-fsingle-precision-constant",
        "-fno-single-precision-constant",
        Front(Setting::SingleConstants),
    ),
    row(
        "-frounding-math",
        "-fno-rounding-math",
        Host("numbers rounded as the program last asked"),
    ),
    row(
        "-fsignaling-nans",
        "-fno-signaling-nans",
        Host("signalling NaNs"),
    ),
    row(
        "-ftrapping-math",
        "",
        Irrelevant("regions raise no exceptions of floating-point numbers"),
    ),
    row("-fno-trapping-math", "", MAY),
    row(
        "-fmath-errno",
        "",
        Irrelevant("functions in regions do not set `errno`"),
    ),
    row("-fno-math-errno", "", MAY),
    row(
        "-fcx-limited-range",
        "",
        Irrelevant("complex numbers are not used in regions"),
    ),
    row(
        "-fcx-fortran-rules",
        "",
        Irrelevant("complex numbers are not used in regions"),
    ),
    row(
        "-fexcess-precision=",
        "",
        Irrelevant("regions compute in the types that C says, without excess"),
    ),
    row(
        "-fpermitted-flt-eval-methods=",
        "",
        Irrelevant("regions compute in the types that C says, without excess"),
    ),
    row(
        "-ffloat-store",
        "",
        Irrelevant("regions compute in the types that C says, without excess"),
    ),
    row(
        "-mfpmath=",
        "",
        Irrelevant("regions compute in the types that C says, without excess"),
    ),
    row(
        "-mpc32",
        "",
        Irrelevant("it is for the x87, which regions do not use"),
    ),
    row(
        "-mpc64",
        "",
        Irrelevant("it is for the x87, which regions do not use"),
    ),
    row(
        "-mpc80",
        "",
        Irrelevant("it is for the x87, which regions do not use"),
    ),
    row("-ffast-math", "", Followed),
    row("-fassociative-math", "", Followed),
    row("-funsafe-math-optimizations", "", Followed),
    row("-freciprocal-math", "", Followed),
    row("-fno-signed-zeros", "", Followed),
    row("-ffinite-math-only", "", Followed),
    row("-fapprox-func", "", Followed),
    row("-ffp-contract=", "", Followed),
    row("-Ofast", "", Followed),
    row(
        "-ffp-int-builtin-inexact",
        "",
        Irrelevant("regions raise no exceptions of floating-point numbers"),
    ),
    row(
        "-fno-fp-int-builtin-inexact",
        "",
        Irrelevant("regions raise no exceptions of floating-point numbers"),
    ),
    // Functions.
    row(
        "-fno-builtin",
        "-fbuiltin -fhosted",
        Front(Setting::NoBuiltins),
    ),
    row(
        "-ffreestanding",
        "-fhosted -fbuiltin",
        Front(Setting::NoBuiltins),
    ),
    row(
        "-fno-hosted",
        "-fhosted -fbuiltin",
        Front(Setting::NoBuiltins),
    ),
    row("-fno-builtin-", "", Front(Setting::NoBuiltins)),
    row(
        "-fgnu89-inline",
        "",
        Irrelevant("it is about symbols of functions, and regions have their bodies"),
    ),
    row(
        "-fcommon",
        "",
        Irrelevant("it is about symbols of variables"),
    ),
    row(
        "-fno-common",
        "",
        Irrelevant("it is about symbols of variables"),
    ),
    // The language.
    row(
        "-std=",
        "",
        Irrelevant("what the standards differ in means the same where it is read"),
    ),
    row(
        "-ansi",
        "",
        Irrelevant("what the standards differ in means the same where it is read"),
    ),
    row("-fopenmp", "", Followed),
    row("-fopenmp-simd", "", Followed),
    // Checks of the host's code.
    row(
        "-fsanitize=",
        "",
        Irrelevant("it checks the host's code; a program without errors means the same"),
    ),
    row(
        "-fstack-limit-register=",
        "",
        Irrelevant("it checks the host's code"),
    ),
    row(
        "-fstack-limit-symbol=",
        "",
        Irrelevant("it checks the host's code"),
    ),
    row(
        "-fstack-protector",
        "",
        Irrelevant("it checks the host's code"),
    ),
];
