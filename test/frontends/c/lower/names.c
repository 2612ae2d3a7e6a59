// What lives outside of a region and is only named within cannot be handed in.
//
// RUN: terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

static int counted(int n) { extern int calls; return calls + n; }

void f(int n, int *a)
{
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++) {
    // CHECK-DAG: names.c:[[@LINE+1]]:16: warning: the region runs on the host, {{.*}}: the global 'elsewhere', which is declared in it
    extern int elsewhere;
    a[i] = elsewhere++;
  }
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++) {
    // CHECK-DAG: names.c:[[@LINE+1]]:16: warning: the region runs on the host, {{.*}}: the static variable 'kept', which is declared in it
    static int kept;
    a[i] = kept;
  }
  // CHECK-DAG: names.c:5:54: warning: the region runs on the host, {{.*}}: the global 'calls', which another function declares
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++)
    a[i] = counted(i);
}
