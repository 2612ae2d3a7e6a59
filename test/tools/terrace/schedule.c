// The loops of a region after the steps of its schedule, and what is said of them.
//
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.dir
// RUN: FileCheck %s --check-prefix=TILE --input-file=%t.dir/tmp.product.region0.scheduled.mlir
// RUN: FileCheck %s --check-prefix=INNER --input-file=%t.dir/tmp.inner.region0.scheduled.mlir
// RUN: FileCheck %s --check-prefix=FUSE --input-file=%t.dir/tmp.vectors.region0.scheduled.mlir
// RUN: FileCheck %s --check-prefix=NONE --input-file=%t.dir/tmp.order.region0.cpu.mlir
// RUN: FileCheck %s --check-prefix=AUTO --input-file=%t.dir/tmp.order.region1.cpu.mlir
// RUN: terrace explain %s | FileCheck %s --check-prefix=SAY
// RUN: terrace explain %s --format json | FileCheck %s --check-prefix=JSON

#define N 100
#define TI 32
#define TJ(x) ((x) / 2)
double A[N][N], B[N][N], C[N][N];
double x[N], y[N];

// SAY-LABEL: : product
// JSON: "name": "product"
void product(void)
{
  // Counters are as the loops have them in the program; the loops over tiles are new.
  //
  // TILE:      affine.for %[[IT:.*]] = 0 to 100 step 32 {
  // TILE-NEXT:   affine.for %[[JT:.*]] = 0 to 100 step 16 {
  // TILE-NEXT:     affine.for %[[I:.*]] = #map(%[[IT]]) to min #map1(%[[IT]]) {
  // TILE-NEXT:       affine.for %[[K:.*]] = 0 to 100 {
  // TILE-NEXT:         affine.for %[[J:.*]] = #map(%[[JT]]) to min #map2(%[[JT]]) {
  // TILE:                affine.load %{{.*}}[%[[I]], %[[K]]]
  // TILE:      } {offload.parallel = 0 : i64}
  //
  // SAY:      - the loop over i is cut into tiles of 32, which the loop over i_tile goes through (`tile(i, j: 32, ((32) / 2))`)
  // SAY-NEXT: - the loop over i_tile has to be parallel (`parallel(i_tile)`)
  // SAY-NEXT: - the loop over i_tile is parallel
  // SAY:      - the loop over j is cut into tiles of 16, which the loop over j_tile goes through
  // SAY:      - the loops are nested in the order k, j (`interchange(k, j)`)
  //
  // JSON:      "steps": [
  // JSON:      "text": "the loop over i is cut into tiles of 32
#pragma terrace schedule(tile(i, j: TI, TJ(TI)), \
                         interchange(k, j), parallel(i_tile))
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}

// The schedule of a loop in a region leaves the others alone.
//
// INNER:      affine.for %{{.*}} = 0 to 100 {
// INNER-NOT:  step
// INNER:      } {acc.loop = {gang, independent}}
// INNER:      affine.for %{{.*}} = 0 to 100 step 5 {
// INNER-NOT:  acc.loop
//
// SAY-LABEL: : inner
// SAY: - the clauses of the directive on it give way to the schedule
// SAY: - the loop over i is unrolled 5 times (`unroll(i: 5)`)
void inner(void)
{
#pragma acc kernels
  {
#pragma acc loop gang independent
    for (int i = 0; i < N; i++) x[i] = i;
#pragma terrace schedule(unroll(i: 5))
#pragma acc loop gang independent
    for (int i = 0; i < N; i++) y[i] = 2 * i;
  }
}

// FUSE:     affine.for
// FUSE-NOT: affine.for
//
// SAY-LABEL: : vectors
// SAY: - the loops over i and i become one (`fuse(i#1, i#2)`)
void vectors(void)
{
#pragma terrace schedule(fuse(i#1, i#2))
#pragma terrace offload
  {
    for (int i = 0; i < N; i++) x[i] = i;
    for (int i = 0; i < N; i++) y[i] = 2 * x[i];
  }
}

// Along j the elements of y are next to one another, and lanes can add to them. With i inside
// each of them would be a sum, so that the scheduler's order is not taken for a core.
// NONE:      scf.for
// NONE:        scf.for
// NONE:          vector.transfer_write
// AUTO:      scf.for
// AUTO:        scf.for
// AUTO:          vector.transfer_write
//
// SAY-LABEL: : order
// SAY: - schedule: the loops run as they are written, as the directive asks
// SAY: - schedule: 1 nest of loops runs in the order that the automatic scheduler finds, in tiles of 8
void order(void)
{
#pragma terrace schedule(none)
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) y[j] += A[i][j] * x[i] + A[j][i];
#pragma endscop
#pragma terrace schedule(auto)
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) y[j] += A[i][j] * x[i] + A[j][i];
#pragma endscop
#pragma terrace schedule(pluto(8))
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) y[j] += A[i][j] * x[i] + A[j][i];
#pragma endscop
}
