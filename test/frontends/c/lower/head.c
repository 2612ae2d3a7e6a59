// Loops that count without the head of a `for`, and sides of comparisons that meet.
// RUN: terrace compile %s --emit mlir | FileCheck %s
// RUN: terrace compile %s --emit mlir 2>&1 | FileCheck %s --check-prefix=SAID

// SAID: remark: a region of 'changes' stays C: the pointer 'b' may point to several arrays
// CHECK-DAG: [[HALF:#.*]] = affine_map<()[s0] -> (s0 floordiv 2)>
// CHECK-DAG: [[LESS:#.*]] = affine_map<()[s0] -> (s0 - 3)>

// CHECK-LABEL: func.func @up.region0(
// CHECK: affine.for %[[I:[a-z0-9]+]] loc({{.*}}) = %{{.*}} to %{{.*}} {
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[I]]]
void up(int n, double *a) {
  int i = 0;
#pragma scop
  while (i < n) {
    a[i] = 1;
    i++;
  }
#pragma endscop
}

// One iteration at least.
// CHECK-LABEL: func.func @once.region0(
// CHECK: %[[FIRST:.*]] = arith.addi %{{.*}}, %c1
// CHECK: %[[END:.*]] = arith.maxsi %[[FIRST]], %{{.*}}
// CHECK: affine.for %{{.*}} = %{{.*}} to %[[END]] {
void once(int n, double *a) {
  int i = 0;
#pragma scop
  do {
    a[i] = 1;
    i++;
  } while (i < n);
#pragma endscop
}

// The last element first: the counter in the body is less than it was when it was compared.
// CHECK-LABEL: func.func @back.region0(
// CHECK: affine.for %[[I:[a-z0-9]+]] loc({{.*}}) = 0 to %[[N:.*]] {
// CHECK: affine.store %{{.*}}, %{{.*}}[-%[[I]] + symbol(%[[N]]) - 1]
void back(unsigned long n, double *a) {
#pragma scop
  for (unsigned long i = n; i-- > 0;)
    a[i] = 1;
#pragma endscop
}

// Half of the elements: they meet in the middle.
// CHECK-LABEL: func.func @meet.region0(
// CHECK: affine.for %[[I:[a-z0-9]+]] loc({{.*}}) = 0 to [[HALF]]()[%{{.*}}] {
// CHECK: affine.load %{{.*}}[-%[[I]] + symbol(%{{.*}}) - 1]
void meet(int n, double *a) {
#pragma scop
  for (int i = 0, j = n - 1; i < j; i++, j--)
    a[i] = a[j];
#pragma endscop
}

// Steps of four, and the rest.
// CHECK-LABEL: func.func @rest.region0(
// CHECK: affine.for %{{.*}} = 0 to [[LESS]]()[%{{.*}}] step 4 {
// CHECK: affine.for
// CHECK-NOT: scf.while
// CHECK: return
void rest(int n, double *a) {
#pragma scop
  {
    int i;
    for (i = 0; i + 3 < n; i += 4)
      a[i] = a[i + 1] + a[i + 2] + a[i + 3];
    for (; i < n; i++)
      a[i] = 0;
  }
#pragma endscop
}

// Another pointer grows beside a counter of other steps: the op counts iterations.
// CHECK-LABEL: func.func @every_third.region0(
// CHECK: affine.for %[[I:[a-z0-9]+]] loc({{.*}}) = 0 to
// CHECK-NOT: iter_args
// CHECK: affine.load %{{.*}}[%[[I]] * 3]
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[I]]]
void every_third(int n, const double *restrict a, double *restrict b) {
#pragma scop
  {
    int k = 0;
    for (int i = 0; i < n; i += 3)
      b[k++] = a[i];
  }
#pragma endscop
}

// An unsigned counter that is stepped before it is compared wraps around at zero, and is not counted.
// CHECK-LABEL: func.func @wraps.region0(
// CHECK: scf.while
void wraps(unsigned long n, double *a) {
#pragma scop
  while (--n > 0)
    a[n] = 1;
#pragma endscop
}

// What was made for a loop that had to be lowered again is not used any more; this ended terrace.
void changes(int n, double *a, double *b) {
  double e = 1;
  int k = 0;
#pragma scop
  while (e > 1e-6 && k < 1000) {
    e = 0;
    for (int i = 1; i < n - 1; i++)
      b[i] = a[i - 1] + a[i + 1];
    double *s = a;
    a = b;
    b = s;
    k++;
  }
#pragma endscop
}
