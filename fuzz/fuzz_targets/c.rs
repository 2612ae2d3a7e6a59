#![no_main]
terrace_fuzz::target!(c);
