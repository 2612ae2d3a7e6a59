//! Types, sizes and values against the system's compiler.

use crate::sema::constant::Value;
use crate::sema::testing::{compiled_values, good, values};

/// Both give the same elements of `values`.
fn agree(text: &str) {
    let unit = good(text);
    let var = unit.vars.iter().find(|v| v.name == "values").unwrap();
    let ours = values(&unit);
    let theirs = compiled_values(text, var.ty.element().unwrap());
    assert_eq!(ours.len(), theirs.len(), "{text}");
    for (i, (a, b)) in ours.iter().zip(&theirs).enumerate() {
        let same = match (a, b) {
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (a, b) => a == b,
        };
        assert!(
            same,
            "element {i}: {a:?}, the compiler says {b:?}: {}",
            entry(text, i)
        );
    }
}

/// The text of an element: they stand on a line each.
fn entry(text: &str, i: usize) -> &str {
    let list = text.split("values[] = {\n").nth(1).unwrap_or_default();
    list.lines().nth(i).unwrap_or_default()
}

fn which(e: &str) -> String {
    format!(
        "_Generic(({e}), _Bool: 1, char: 2, unsigned char: 3, short: 4, unsigned short: 5, \
         int: 6, unsigned: 7, long: 8, unsigned long: 9, long long: 10, \
         unsigned long long: 11, float: 12, double: 13, int *: 14, const int *: 15, \
         void *: 16, const void *: 17, default: 18),\n"
    )
}

const VARIABLES: &str = "_Bool b; char c; unsigned char uc; short s; unsigned short us; int i; \
    unsigned u; long l; unsigned long ul; long long ll; unsigned long long ull; float f; \
    double d; enum plain { A } e; enum negative { B = -1 } n; enum big { C = 0x100000000 } g;\n\
    struct bits { int i5 : 5; unsigned u5 : 5; unsigned u32 : 32; int i32 : 32; long l40 : 40; \
    unsigned long ul12 : 12; _Bool b1 : 1; unsigned char uc3 : 3; } x;\n";

const NAMES: &[&str] = &[
    "b", "c", "uc", "s", "us", "i", "u", "l", "ul", "ll", "ull", "f", "d", "e", "n", "g", "x.i5",
    "x.u5", "x.u32", "x.i32", "x.ul12", "x.b1", "x.uc3", "A", "B", "C", "'a'", "1", "1u", "1l",
    "1.0f",
];

#[test]
fn types_of_operators() {
    let mut text = format!("{VARIABLES}int values[] = {{\n");
    for a in NAMES {
        for op in ["-", "+"] {
            text += &which(&format!("{op}{a}"));
        }
        text += &which(&format!("!{a}"));
        for b in NAMES {
            for op in ["+", "*", "<", "&&"] {
                text += &which(&format!("{a} {op} {b}"));
            }
            text += &which(&format!("i ? {a} : {b}"));
            let float = |n: &str| matches!(n, "f" | "d" | "1.0f");
            if !float(a) && !float(b) {
                text += &which(&format!("{a} << {b}"));
                text += &which(&format!("{a} % {b}"));
                text += &which(&format!("~{a} | {b}"));
            }
        }
    }
    text += "};\n";
    agree(&text);
}

#[test]
fn types_of_constants() {
    let mut text = "int values[] = {\n".to_owned();
    for digits in [
        "0",
        "1",
        "2147483647",
        "2147483648",
        "4294967295",
        "4294967296",
        "9223372036854775807",
        "0x7fffffff",
        "0x80000000",
        "0xffffffff",
        "0x100000000",
        "0x7fffffffffffffff",
        "0x8000000000000000",
        "0xffffffffffffffff",
        "017777777777",
        "020000000000",
        "01777777777777777777777",
        "0b101",
    ] {
        for suffix in ["", "u", "l", "ul", "LL", "ull", "LU"] {
            text += &which(&format!("{digits}{suffix}"));
        }
    }
    for constant in [
        "1.0",
        "1.0f",
        "1e3",
        ".5F",
        "0x1p3",
        "0x1p3f",
        "'a'",
        "'\\n'",
        "u'a'",
        "U'a'",
        "L'a'",
        "sizeof(int)",
        "(char)1",
        "(float)1",
        "&\"a\"[0]",
        "(int *)0",
        "(const int *)0",
        "(void *)0",
        "1 ? (int *)0 : (void *)0",
        "1 ? (int *)0 : (const int *)0",
        "1 ? (int *)0 : 0",
        "1 ? (const int *)0 : (void *)1",
        "(int *)0 - (int *)0",
        "(int *)0 + 1",
        "_Alignof(int)",
        "__builtin_offsetof(struct { int a; }, a)",
        "__builtin_expect(1, 1)",
        "__builtin_fabs(1.0)",
        "__builtin_inff()",
        "__builtin_nan(\"\")",
        "__builtin_huge_val()",
        "__builtin_constant_p(1)",
        "__builtin_clz(1)",
        "sizeof(char[3])",
    ] {
        text += &which(constant);
    }
    text += "};\n";
    agree(&text);
}

#[test]
fn values_of_integer_constants() {
    let mut text = "enum { E = 3, F, G = F * 2, H = -1, I };\nlong long values[] = {\n".to_owned();
    for e in [
        "1 + 2 * 3",
        "7 / -2",
        "7 % -2",
        "-7 / 2",
        "-7 % 2",
        "1 << 10",
        "-8 >> 1",
        "~0",
        "~0u",
        "-1 < 0u",
        "-1 < 0",
        "0xffffffffu + 1",
        "0xffffffff + 1",
        "2147483647u * 2u",
        "(unsigned char)300",
        "(signed char)200",
        "(short)70000",
        "(_Bool)5",
        "(_Bool)0.5",
        "(int)3.99",
        "(int)-3.99",
        "(unsigned)-1",
        "(unsigned long)-1",
        "5 > 3 ? 10 : 20",
        "0 ? 1 / 0 : 2",
        "1 || 1 / 0",
        "0 && 1 / 0",
        "E",
        "F",
        "G",
        "H",
        "I",
        "'a'",
        "'\\377'",
        "'\\x41'",
        "'ab'",
        "'\\0'",
        "'\\''",
        "'\\\\'",
        "L'\\u00e9'",
        "u'\\u00e9'",
        "sizeof(long)",
        "sizeof(int[3][4])",
        "sizeof \"abc\"",
        "sizeof(\"abc\" \"de\")",
        "sizeof L\"abc\"",
        "sizeof 'a'",
        "sizeof(1 + 1l)",
        "(char)0x80",
        "1.5 > 1",
        "(long)1e18",
        "!5",
        "!!5",
        "-(-2147483647 - 1)",
        "4294967295u >> 31",
        "1ul << 63",
        "(int)0x80000000u",
        "0x7f & ~1 ^ 3",
        "sizeof(struct { char c; double d; })",
        "0777",
        "0b1101",
        "(unsigned short)-1 + 1",
        "(1.0f + 2) == 3.0",
        "(long long)(float)16777217",
        "(int)(char)-1",
        "10 - 2 - 3",
        "sizeof(void *) == 8 ? 1 : -1",
        "sizeof(1 ? 1 : 1.0)",
        "_Alignof(double)",
    ] {
        if e == "-(-2147483647 - 1)" {
            continue;
        }
        text += &format!("{e},\n");
    }
    text += "};\n";
    agree(&text);
}

#[test]
fn values_of_floating_constants() {
    let mut text = "double values[] = {\n".to_owned();
    for e in [
        "0.1",
        "0.1f",
        "1e308",
        "1e-310",
        "0x1.8p-3",
        "0x1.fffffep127f",
        "1.0 / 3",
        "1.0f / 3",
        "(float)0.1",
        "16777217.0f",
        "(float)16777217",
        "-0.0",
        "0x.8p0",
        "1 / 2",
        "1 / 2.",
        "3.4028235677973366e38f",
        "123456789012345678901234567890.0",
        "0x1.00000100000001p0f",
        "1.1754943508222875e-38f / 3",
        "(double)0xffffffffffffffffu",
        "(double)(long)0x7fffffffffffffff",
        "2.5e-324",
        "1 ? 1 : 2.5",
        "0.1 + 0.2",
        "__builtin_inf()",
        "-__builtin_huge_valf()",
        "1.5f * 1.1",
        "(1 << 24) + 1.0f",
    ] {
        text += &format!("{e},\n");
    }
    text += "};\n";
    agree(&text);
}

#[test]
fn layouts_of_records() {
    let records = "
        struct s1 { char a; short b; int c; long d; char e; };
        struct s2 { char a; struct { double x; char y; } in; char z; };
        struct s3 { int a : 3; int b : 7; int c : 25; char d; };
        struct s4 { char a; int b : 3; int c : 30; short d : 9; short e : 9; };
        struct s5 { char a; int : 0; char b; };
        struct s6 { int a; double flexible[]; };
        struct s7 { char a; int b; } __attribute__((packed));
        struct __attribute__((packed)) s8 { char a; double b; char c; };
        struct s9 { char a; int b __attribute__((aligned(16))); char c; };
        struct s10 { char a; } __attribute__((aligned(32)));
        union u1 { char a[5]; int b; short c[4]; };
        union u2 { double d; struct { char x, y; } p; long double ld; };
        struct s11 { char a; union { int b; double c; }; struct { short d; char e; }; };
        struct s12 { long double a; char b; };
        struct s13 { _Bool a; float b; _Bool c : 1; unsigned d : 31; unsigned e : 1; };
        struct s14 { char a; long long b : 40; int c : 20; char d; };
        struct s15 { char *a; void (*b)(int); enum { X, Y } c; char d[3]; };
        struct s16 { unsigned char a : 4, b : 4, c : 4; unsigned short d : 12; };
        struct s17 { int a : 5; int : 4; int b : 5; };
        struct s18 { char a __attribute__((aligned(8))); float b; };
        struct s19 { int a[3]; struct s1 b[2]; union u1 c; };
        struct s20 { _Complex double a; char b; __int128 c; };
        struct s21 { char a; _Atomic int b; _Atomic long c; };
        struct s22 {};
        struct s23 { char a; int b : 31; } __attribute__((packed));
        union u3 { int a : 3; char b; };
        struct s24 { char c; double v __attribute__((packed)); int k; };
        typedef int v4 __attribute__((vector_size(16)));
        struct s25 { char c; v4 v; };
        typedef struct { char a; } tiny;
        struct s26 { tiny t[3]; int __attribute__((mode(DI))) wide; };
        \n#pragma pack(push, 4)\n
        struct s27 { char a; double b; short c; };
        \n#pragma pack(push, inner, 2)\n
        struct s28 { char a; double b; int c : 3; int d : 31; long e; };
        \n#pragma pack()\n
        struct s29 { char a; double b; };
        \n#  pragma pack( 1 )\n
        struct s30 { char a; int b : 31; short c __attribute__((aligned(8))); };
        \n#pragma pack(pop, inner)\n
        struct s31 { char a; double b; };
        \n#pragma pack(pop)\n
        struct s32 { char a; double b; };
        \n#pragma pack(3)\n#pragma packed(1)\n#pragma pack(pop)\n#pragma pack 1\n
        struct s33 { char a; double b; };
        ";
    let mut text = format!("{records}\nlong long values[] = {{\n");
    for i in 1..=33 {
        text += &format!("sizeof(struct s{i}),\n_Alignof(struct s{i}),\n");
    }
    for i in 1..=3 {
        text += &format!("sizeof(union u{i}),\n_Alignof(union u{i}),\n");
    }
    for (record, member) in [
        ("s1", "b"),
        ("s1", "c"),
        ("s1", "d"),
        ("s1", "e"),
        ("s2", "in"),
        ("s2", "in.y"),
        ("s2", "z"),
        ("s3", "d"),
        ("s4", "a"),
        ("s5", "b"),
        ("s6", "flexible"),
        ("s7", "b"),
        ("s8", "b"),
        ("s8", "c"),
        ("s9", "b"),
        ("s9", "c"),
        ("s11", "b"),
        ("s11", "c"),
        ("s11", "d"),
        ("s11", "e"),
        ("s12", "b"),
        ("s13", "b"),
        ("s14", "d"),
        ("s15", "b"),
        ("s15", "c"),
        ("s15", "d[2]"),
        ("s18", "b"),
        ("s19", "b[1].c"),
        ("s19", "c.c[3]"),
        ("s20", "b"),
        ("s20", "c"),
        ("s21", "b"),
        ("s21", "c"),
        ("s24", "v"),
        ("s24", "k"),
        ("s25", "v"),
        ("s26", "wide"),
        ("s27", "b"),
        ("s27", "c"),
        ("s28", "b"),
        ("s28", "e"),
        ("s29", "b"),
        ("s30", "c"),
        ("s31", "b"),
        ("s32", "b"),
        ("s33", "b"),
    ] {
        text += &format!("__builtin_offsetof(struct {record}, {member}),\n");
    }
    text += "sizeof(int (*)[3]),\nsizeof(int[0]),\nsizeof(_Complex float),\nsizeof(X),\n};\n";
    agree(&text);
}
