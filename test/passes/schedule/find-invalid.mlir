// RUN: terrace-opt %s --split-input-file --verify-diagnostics --apply-schedule

schedule.sequence @s {
  // expected-error @+1 {{'schedule.find_loop' op cannot find the loop with induction variable 'k': there are 2 others}}
  %k = schedule.find_loop {iv = "k"} : !schedule.loop
}
func.func @f() {
  // expected-note @+1 {{there is loop 'i' at line 9}}
  affine.for %i = 0 to 4 {
    // expected-note @+1 {{there is loop labelled 'in' at line 11}}
    affine.for %0 = 0 to 4 {
    } {schedule.label = "in"}
  }
  return
}

// -----

schedule.sequence @s {
  // expected-error @+1 {{cannot find the loop with line 3: there is none}}
  %k = schedule.find_loop {line = 3 : i64} : !schedule.loop
}
func.func @f() {
  return
}

// -----

schedule.sequence @s {
  // expected-error @+1 {{cannot tell which is the loop with induction variable 'i': 2 loops fit; say more of it, such as 'line', 'nest' or the loop 'in' which it is}}
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
}
func.func @f() {
  // expected-note @+1 {{there is loop 'i' at line 35}}
  affine.for %i = 0 to 4 {
  }
  // expected-note @+1 {{there is loop 'i' at line 38}}
  affine.for %i = 0 to 4 {
  }
  return
}

// -----

// Only what fits everything that is said.

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{cannot find the loop with induction variable 'i', place [0]: there is another one}}
  %j = schedule.find_loop in %i {iv = "i", nest = [0]} : !schedule.loop
}
func.func @f() {
  affine.for %i = 0 to 4 {
    // expected-note @+1 {{there is loop 'j' at line 55}}
    affine.for %j = 0 to 4 {
    }
  }
  return
}

// -----

// expected-error @+1 {{'schedule.sequence' op is for '@g', which the module does not have}}
schedule.sequence @s on @g {
}

// -----

// expected-error @+1 {{is for '@g', of which there is only a declaration}}
schedule.sequence @s on @g {
}
func.func private @g()

// -----

// expected-error @+1 {{is for '@t', which is no function}}
schedule.sequence @s on @t {
}
schedule.sequence @t {
}

// -----

// expected-error @+1 {{names no function ('on @name'), and the module has 2 to choose from}}
schedule.sequence @s {
}
func.func @f() {
  return
}
func.func @g() {
  return
}
