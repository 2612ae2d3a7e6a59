// The harness itself: pipes, redirections, substitutions, `not`.
//
// DEFINE: %{text} = one  two
// DEFINE: %{show} = echo '%{text}'
// RUN: %{show} | FileCheck %s
// REDEFINE: %{text} = three
// RUN: %{show} > %t && cat %t | FileCheck %s --check-prefix=THREE
// RUN: not cat %t.missing 2>&1 | FileCheck %s -check-prefix=MISSING
// RUN: %{show} \
// RUN:   | not FileCheck %s
// RUN: echo a; echo b | count 1
// RUN: split-file %s %T/parts && cat %T/parts/a.txt | FileCheck %s --check-prefix=PART --match-full-lines
// RUN: env TERRACE_LIT_SELF=yes sh -c 'echo $TERRACE_LIT_SELF' | FileCheck %s --check-prefix=ENV

// CHECK: one two
// THREE: three
// MISSING: cat: {{.*}}tmp.missing: {{[Nn]}}o such file
// PART: inside a part
// PART-NOT: another
// ENV: yes

//--- a.txt
inside a part
//--- b.txt
another
