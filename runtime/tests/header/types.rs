//! What Rust types are in C, told by the compiler: the types of functions and fields are
//! taken from the items themselves.

use std::ffi::{c_char, c_void};

use terrace_runtime::program::abi::{Image, Kernel, Map, Param, Region, Site, Version};
use terrace_runtime::program::slices::Slice;
use terrace_runtime::program::tables::RowArray;
use terrace_runtime::program::trials::Trials;

/// A type as C writes it.
pub trait CType {
    /// The declaration of `name` with this type.
    fn declare(name: &str) -> String;
}

fn plain(ty: &str, name: &str) -> String {
    match (ty.ends_with('*'), name.is_empty()) {
        (_, true) => ty.to_string(),
        (true, false) => format!("{ty}{name}"),
        (false, false) => format!("{ty} {name}"),
    }
}

macro_rules! c_types {
    ($($rust:ty = $c:literal;)*) => {$(
        impl CType for $rust {
            fn declare(name: &str) -> String {
                plain($c, name)
            }
        }
    )*};
}

c_types! {
    () = "void";
    i8 = "char";
    i32 = "int";
    u32 = "unsigned";
    i64 = "long";
    u64 = "unsigned long long";
    usize = "size_t";
    f64 = "double";
    c_void = "void";
    // Pointers to bytes are to anything in C.
    u8 = "void";
    Param = "struct terrace_param";
    Kernel = "struct terrace_kernel";
    Image = "struct terrace_image";
    Site = "struct terrace_site";
    Version = "struct terrace_version";
    Region = "struct terrace_region";
    Map = "struct terrace_map";
    Trials = "struct terrace_trials";
    Slice = "struct terrace_slice";
    RowArray = "struct terrace_rows";
}

const _: () = assert!(size_of::<c_char>() == 1);

impl<T: CType> CType for *mut T {
    fn declare(name: &str) -> String {
        T::declare(&format!("*{name}"))
    }
}

impl<T: CType> CType for *const T {
    fn declare(name: &str) -> String {
        // What is constant is what the innermost pointer leads to.
        format!("const {}", T::declare(&format!("*{name}")))
    }
}

impl<T: CType> CType for Option<T> {
    fn declare(name: &str) -> String {
        T::declare(name)
    }
}

/// The types of a function's parameters and its result.
pub struct Signature {
    pub parameters: Vec<fn(&str) -> String>,
    pub result: fn(&str) -> String,
}

/// A function of the interface.
pub trait CFunction {
    fn signature() -> Signature;
}

macro_rules! c_functions {
    ($(($($p:ident)*))*) => {$(
        impl<$($p: CType,)* R: CType> CFunction for unsafe extern "C" fn($($p),*) -> R {
            fn signature() -> Signature {
                Signature {
                    parameters: vec![$($p::declare),*],
                    result: R::declare,
                }
            }
        }

        impl<$($p: CType,)* R: CType> CType for unsafe extern "C" fn($($p),*) -> R {
            fn declare(name: &str) -> String {
                let parameters: Vec<String> = vec![$($p::declare("")),*];
                R::declare(&format!("(*{name})({})", parameters.join(", ")))
            }
        }

        impl<$($p: CType,)* R: CType> CType for extern "C" fn($($p),*) -> R {
            fn declare(name: &str) -> String {
                <unsafe extern "C" fn($($p),*) -> R>::declare(name)
            }
        }
    )*};
}

c_functions! {
    () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G)
}

/// The signature of a function that is handed over.
pub fn of<F: CFunction>(_: F) -> Signature {
    F::signature()
}

/// The declaration of a field that a function reads.
pub fn field<S, T: CType>(_: fn(&S) -> &T) -> fn(&str) -> String {
    T::declare
}
