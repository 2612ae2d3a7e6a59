// A module with many functions, of which one matters.
//
// RUN: terrace-reduce %S/Inputs/separate.mlir --test "terrace-opt {} --apply-schedule | grep -q affine.if" | FileCheck %s --check-prefix=SEPARATE

// SEPARATE: module {
// SEPARATE-NEXT: schedule.sequence @s {
// SEPARATE-NEXT: schedule.find_loop
// SEPARATE-NEXT: schedule.tile %{{.*}} sizes [4] separate
// SEPARATE-NEXT: }
// SEPARATE-NEXT: func.func @carried(%[[N:.*]]: index) {
// SEPARATE-NEXT: affine.for %{{.*}} = 0 to %[[N]] {
// SEPARATE-NEXT: } {schedule.label = "tiled"}
// SEPARATE-NEXT: return
// SEPARATE-NEXT: }
// SEPARATE-NEXT: }
