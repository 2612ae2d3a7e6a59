// What several gangs of a construct cannot be given each for itself.
//
// RUN: not terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

void array(int n, int k, int *restrict a) {
  int b[k];
// CHECK: gangs-refused.c:[[@LINE+2]]:3: error: this cannot be offloaded, as its directive asks: 'b' in a firstprivate clause, of which each of several gangs needs a copy and which is no array of numbers of constant size
#pragma acc parallel num_gangs(4) firstprivate(b) copy(a[0:n])
  {
#pragma acc loop gang
    for (int i = 0; i < n; i++) {
      b[0] += i;
      a[i] = b[0];
    }
  }
}

void uncounted(int n, int *restrict a) {
  int t = 0;
#pragma acc parallel num_gangs(4) firstprivate(t) copy(a[0:n])
  {
// CHECK: gangs-refused.c:[[@LINE+2]]:5: error: this cannot be offloaded, as its directive asks: a loop that several gangs share and whose iterations are not counted
#pragma acc loop gang
    for (int i = 1; i * i < n; i++) {
      t += i;
      a[i] = t;
    }
  }
}
