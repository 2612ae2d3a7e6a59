//! Functions of the C library that touch no variable of the program but those whose
//! addresses they are given.

/// Apart from the functions of `math.h`.
const KNOWN: &str = " printf fprintf sprintf snprintf puts fputs putchar putc fputc fflush scanf \
    fscanf sscanf fopen fclose fread fwrite fgets getchar perror exit _exit abort malloc calloc \
    realloc free aligned_alloc posix_memalign memalign memcpy memmove memset memcmp strlen strcmp \
    strncmp strcpy strncpy strcat strchr strrchr strstr strdup strtol strtoul strtod atoi atol \
    atof rand srand rand_r random srandom drand48 srand48 abs labs llabs clock time difftime \
    gettimeofday clock_gettime getenv sleep usleep __assert_fail __builtin_expect \
    __builtin_object_size __builtin___memcpy_chk __builtin___memset_chk acc_wait acc_wait_all \
    acc_async_test acc_async_test_all acc_get_device_type acc_set_device_type acc_init \
    acc_shutdown acc_get_num_devices omp_get_wtime omp_get_thread_num omp_get_max_threads ";

/// Of `math.h`, without the letter of the type behind them.
const MATH: &str = " acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc \
    exp exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp hypot ilogb isfinite isinf isnan \
    ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint \
    nextafter pow remainder remquo rint round scalbln scalbn signbit sin sinh sqrt tan tanh \
    tgamma trunc ";

/// Whether a function is one of those.
pub fn is_known(name: &str) -> bool {
    let listed = |list: &str, name: &str| list.contains(&format!(" {name} "));
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let single = plain.strip_suffix(['f', 'l']).unwrap_or(plain);
    listed(KNOWN, name) || listed(KNOWN, plain) || listed(MATH, plain) || listed(MATH, single)
}

#[cfg(test)]
mod tests {
    use super::is_known;

    #[test]
    fn names() {
        for name in ["sqrt", "sqrtf", "printf", "__builtin_fabs", "memset", "erf"] {
            assert!(is_known(name), "{name}");
        }
        for name in ["kernel", "", "sqrtx", "f", "print"] {
            assert!(!is_known(name), "{name}");
        }
    }
}
