// RUN: terrace-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

// expected-error @+1 {{undefined symbol alias id 'no'}}
"a.b"() {a = #no} : () -> ()

// -----

// expected-error @+1 {{undefined symbol alias id 'no'}}
"a.b"() : () -> !no

// -----

// expected-error @+1 {{operation location alias was never defined: 'no'}}
"a.b"() : () -> () loc(#no)

// -----

#a = 1
// expected-error @+1 {{redefinition of attribute alias id 'a'}}
#a = 2

// -----

!a = i1
// expected-error @+1 {{redefinition of type alias id 'a'}}
!a = i2

// -----

// expected-error @+1 {{attribute names with a '.' are reserved for dialect-defined names}}
#a.b = 1

// -----

#a = 1
// expected-error @+1 {{expected location, but found '1 : i64'}}
"a.b"() : () -> () loc(#a)
