// RUN: terrace-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{can only contain attributes with dialect-prefixed names, found: 'm'}}
module attributes {m} {
}

// -----

// expected-error @+1 {{expected at least one result for cast operation}}
"builtin.unrealized_conversion_cast"() : () -> ()
