// RUN: terrace-opt %s --split-input-file --verify-diagnostics --apply-schedule

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'schedule.stage' op cannot be done to loop 'i' at line 10: it touches no array 'D', but 'A', 'B'}}
  %s = schedule.stage %i array "D"
}
func.func @f(%A: memref<10xf32>, %B: memref<10xf32>) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 10 {
    %a = affine.load %A[%i] : memref<10xf32>
    affine.store %a, %B[%i] : memref<10xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{cannot keep elements in registers: no element is used in more than one iteration at a constant distance}}
  %s = schedule.promote %i array "A"
}
func.func @f(%A: memref<10xf32>, %B: memref<10xf32>) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 10 {
    %a = affine.load %A[%i] : memref<10xf32>
    affine.store %a, %B[%i] : memref<10xf32>
  }
  return
}
