#![no_main]
terrace_fuzz::target!(pipelines);
