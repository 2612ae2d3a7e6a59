//! Coverage-guided fuzzing of everything that reads text from outside: the functions of
//! [`targets`], begun with the project's own tests ([`seeds`]) and changed in ways that
//! leave most of a text as it was ([`mutate`]).

pub mod mutate;
pub mod seeds;
pub mod targets;

/// The `main` of a target.
#[macro_export]
macro_rules! target {
    ($name:ident) => {
        libfuzzer_sys::fuzz_target!(|data: &[u8]| $crate::targets::$name::check(data));
        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
            $crate::mutate::mutate(stringify!($name), data, size, most, seed)
        });
    };
}
