//! Conversions from one level to the next: one a file.
