// RUN: not terrace-reduce %s --test false 2>&1 | FileCheck %s --check-prefix=NO
// RUN: not terrace-reduce %s --test "echo not this one; exit 3 #" 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: not terrace-reduce %s --test terrace-nothing 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not terrace-reduce %s --test "sleep 100 #" --timeout 0.1 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: not terrace-reduce %s --test "kill -9 $$ #" 2>&1 | FileCheck %s --check-prefix=KILLED
// RUN: not terrace-reduce %s --test "grep -q Comments" 2>&1 | FileCheck %s --check-prefix=PRINTED
// RUN: not terrace-reduce %s --test true -o %t.nowhere/out 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not terrace-reduce %t.nowhere --test true 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: echo "func.func @f( {" > %t.mlir
// RUN: not terrace-reduce %t.mlir --test true 2>&1 | FileCheck %s --check-prefix=PARSE
// RUN: echo "func.func @f() -> i32 { return }" > %t.mlir
// RUN: not terrace-reduce %t.mlir --test true 2>&1 | FileCheck %s --check-prefix=VERIFY
// RUN: not terrace-reduce %s 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not terrace-reduce %s --test true --timeout 0 2>&1 | FileCheck %s --check-prefix=SECONDS
// RUN: not terrace-reduce %s --test true -j 0 2>&1 | FileCheck %s --check-prefix=JOBS
// RUN: terrace-reduce --help | FileCheck %s --check-prefix=HELP
//
// What is there when the tests are used up is the result; two of them are about the file itself.
// RUN: terrace-reduce %s --test true --max-tests 2 | FileCheck %s --check-prefix=FEW
// RUN: terrace-reduce %s --test true --max-tests 3 | FileCheck %s --check-prefix=MORE
// RUN: terrace-reduce - --test true < %s | FileCheck %s --check-prefix=MORE

// NO: error: the test refuses {{.*}}errors.mlir itself: exit status 1
// SAID: error: the test refuses {{.*}}errors.mlir itself: exit status 3
// SAID-NEXT: {{^    }}not this one
// NOTHING: error: the test refuses {{.*}}errors.mlir itself: exit status 127, the shell's for a command that it does not find
// NOTHING-NEXT: terrace-nothing
// LATE: error: the test refuses {{.*}}errors.mlir itself: it took longer than --timeout allows
// KILLED: error: the test refuses {{.*}}errors.mlir itself: it was ended by signal 9
// PRINTED: error: the test refuses {{.*}}errors.mlir as terrace prints it: exit status 1
// OUTPUT: error: cannot open output file '{{.*}}.nowhere/out': {{.+}}
// FILE: cannot open input file '{{.*}}.nowhere': {{[Nn]}}o such file or directory
// PARSE: {{.*}}.mlir:1:15: error: {{.+}}
// VERIFY: {{.*}}.mlir:1:25: error: 'func.return' op has 0 operands, but enclosing function (@f) returns 1
// MISSING: --test <CMD>
// SECONDS: invalid value '0' for '--timeout <SECONDS>': must be a number of seconds above 0
// JOBS: invalid value '0' for '--jobs <N>': must be at least 1
// HELP: `{}`
// HELP: --max-tests <N>

// FEW: func.func @f
// FEW: func.func @g
// MORE: module {
// MORE-NEXT: }

// Comments are not printed.
func.func @f() {
  return
}
func.func @g() {
  return
}
