// RUN: terrace-opt %s -gpu-count-work -canonicalize -cse | FileCheck %s

// Sizes are constants here, so that what is told are numbers.

module attributes {gpu.container_module} {

  // A thread each under a guard: 1000 of 1024 threads do an addition and a product, on 32 bits.

  // CHECK-LABEL: func @guard(
  // CHECK-DAG:     %[[N0:.*]] = arith.constant 2.000000e+03 : f64
  // CHECK-DAG:     %[[N1:.*]] = arith.constant 0.000000e+00 : f64
  // CHECK-DAG:     %[[N2:.*]] = arith.constant 8.000000e+03 : f64
  // CHECK:         %[[P:.*]] = xfer.profiled
  // CHECK-NEXT:    scf.if %[[P]] {
  // CHECK-NEXT:      xfer.note_work %[[N0]], %[[N1]], %[[N2]]
  // CHECK-NEXT:    }
  // CHECK-NEXT:    gpu.launch_func
  func.func @guard(%a: memref<1000xf32>, %b: memref<1000xf32>) {
    %n = arith.constant 1000 : index
    %k1 = arith.constant 1 : index
    %k4 = arith.constant 4 : index
    %k256 = arith.constant 256 : index
    gpu.launch_func @m_guard::@k blocks in (%k4, %k1, %k1) threads in (%k256, %k1, %k1) args(%n : index, %a : memref<1000xf32>, %b : memref<1000xf32>)
    return
  }
  gpu.module @m_guard {
    gpu.func @k2(%n: index, %a: memref<?xf32>) kernel {
      %bx = gpu.block_id x
      %tx = gpu.thread_id x
      %dx = gpu.block_dim x
      %bx0 = arith.muli %bx, %dx : index
      %i = arith.addi %bx0, %tx : index
      %in = arith.cmpi slt, %i, %n : index
      scf.if %in {
        %x = memref.load %a[%i] : memref<?xf32>
        %y = arith.mulf %x, %x : f32
        memref.store %y, %a[%i] : memref<?xf32>
      }
      gpu.return
    }
    gpu.func @k(%n: index, %a: memref<1000xf32>, %b: memref<1000xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %bx = gpu.block_id x
      %tx = gpu.thread_id x
      %dx = gpu.block_dim x
      %bx0 = arith.muli %bx, %dx : index
      %i = arith.addi %bx0, %tx : index
      %in = arith.cmpi slt, %i, %n : index
      scf.if %in {
        %x = memref.load %a[%i] : memref<1000xf32>
        %y = arith.mulf %x, %x : f32
        %z = arith.addf %y, %x : f32
        memref.store %z, %b[%i] : memref<1000xf32>
      }
      gpu.return
    }
  }

  // Rows go round with the grid; 2 n^3 operations, three arrays of n^2.

  // CHECK-LABEL: func @product(
  // CHECK-DAG:     %[[N0:.*]] = arith.constant 0.000000e+00 : f64
  // CHECK-DAG:     %[[N1:.*]] = arith.constant 2.000000e+06 : f64
  // CHECK-DAG:     %[[N2:.*]] = arith.constant 2.400000e+05 : f64
  // CHECK:         %[[P:.*]] = xfer.profiled
  // CHECK-NEXT:    scf.if %[[P]] {
  // CHECK-NEXT:      xfer.note_work %[[N0]], %[[N1]], %[[N2]]
  // CHECK-NEXT:    }
  // CHECK-NEXT:    gpu.launch_func
  func.func @product(%a: memref<100x100xf64>, %b: memref<100x100xf64>, %c: memref<100x100xf64>) {
    %n = arith.constant 100 : index
    %k1 = arith.constant 1 : index
    %k2 = arith.constant 2 : index
    %k4 = arith.constant 4 : index
    %k8 = arith.constant 8 : index
    %k32 = arith.constant 32 : index
    gpu.launch_func @m_product::@k blocks in (%k4, %k2, %k1) threads in (%k32, %k8, %k1) args(%n : index, %a : memref<100x100xf64>, %b : memref<100x100xf64>, %c : memref<100x100xf64>)
    return
  }
  gpu.module @m_product {
    gpu.func @k(%n: index, %a: memref<100x100xf64>, %b: memref<100x100xf64>, %c: memref<100x100xf64>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %bx = gpu.block_id x
      %tx = gpu.thread_id x
      %dx = gpu.block_dim x
      %bx0 = arith.muli %bx, %dx : index
      %i = arith.addi %bx0, %tx : index
      %by = gpu.block_id y
      %ty = gpu.thread_id y
      %dy = gpu.block_dim y
      %gy = gpu.grid_dim y
      %by0 = arith.muli %by, %dy : index
      %y0 = arith.addi %by0, %ty : index
      %sy = arith.muli %gy, %dy : index
      %z = arith.constant 0.0 : f64
      scf.for %y = %y0 to %n step %sy {
        %in = arith.cmpi slt, %i, %n : index
        scf.if %in {
          %s = scf.for %k = %c0 to %n step %c1 iter_args(%s = %z) -> (f64) {
            %p = memref.load %a[%y, %k] : memref<100x100xf64>
            %q = memref.load %b[%k, %i] : memref<100x100xf64>
            %r = arith.mulf %p, %q : f64
            %t = arith.addf %s, %r : f64
            scf.yield %t : f64
          }
          %u = arith.addf %s, %z : f64
          memref.store %u, %c[%y, %i] : memref<100x100xf64>
        }
      }
      gpu.return
    }
  }

  // A guard that depends on another counter: 55 elements of 10 rows.

  // CHECK-LABEL: func @triangle(
  // CHECK-DAG:     %[[N0:.*]] = arith.constant 5.500000e+01 : f64
  // CHECK-DAG:     %[[N1:.*]] = arith.constant 0.000000e+00 : f64
  // CHECK-DAG:     %[[N2:.*]] = arith.constant 4.400000e+02 : f64
  // CHECK:         %[[P:.*]] = xfer.profiled
  // CHECK-NEXT:    scf.if %[[P]] {
  // CHECK-NEXT:      xfer.note_work %[[N0]], %[[N1]], %[[N2]]
  // CHECK-NEXT:    }
  // CHECK-NEXT:    gpu.launch_func
  func.func @triangle(%a: memref<10x10xf32>) {
    %n = arith.constant 10 : index
    %k1 = arith.constant 1 : index
    %k8 = arith.constant 8 : index
    %k32 = arith.constant 32 : index
    gpu.launch_func @m_triangle::@k blocks in (%k1, %k1, %k1) threads in (%k32, %k8, %k1) args(%n : index, %a : memref<10x10xf32>)
    return
  }
  gpu.module @m_triangle {
    gpu.func @k(%n: index, %a: memref<10x10xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %bx = gpu.block_id x
      %tx = gpu.thread_id x
      %dx = gpu.block_dim x
      %bx0 = arith.muli %bx, %dx : index
      %i = arith.addi %bx0, %tx : index
      %by = gpu.block_id y
      %ty = gpu.thread_id y
      %dy = gpu.block_dim y
      %gy = gpu.grid_dim y
      %by0 = arith.muli %by, %dy : index
      %y0 = arith.addi %by0, %ty : index
      %sy = arith.muli %gy, %dy : index
      scf.for %y = %y0 to %n step %sy {
        %in = arith.cmpi slt, %i, %n : index
        scf.if %in {
          %below = arith.cmpi sle, %i, %y : index
          scf.if %below {
            %p = memref.load %a[%y, %i] : memref<10x10xf32>
            %q = arith.addf %p, %p : f32
            memref.store %q, %a[%y, %i] : memref<10x10xf32>
          }
        }
      }
      gpu.return
    }
  }

  // The same as a loop in each thread, with a function and a multiply-add on 64 bits.

  // CHECK-LABEL: func @triangle_loop(
  // CHECK-DAG:     %[[N0:.*]] = arith.constant 0.000000e+00 : f64
  // CHECK-DAG:     %[[N1:.*]] = arith.constant 1.350000e+02 : f64
  // CHECK-DAG:     %[[N2:.*]] = arith.constant 7.200000e+02 : f64
  // CHECK:         %[[P:.*]] = xfer.profiled
  // CHECK-NEXT:    scf.if %[[P]] {
  // CHECK-NEXT:      xfer.note_work %[[N0]], %[[N1]], %[[N2]]
  // CHECK-NEXT:    }
  // CHECK-NEXT:    gpu.launch_func
  func.func @triangle_loop(%a: memref<10x10xf64>) {
    %n = arith.constant 10 : index
    %k1 = arith.constant 1 : index
    %k256 = arith.constant 256 : index
    gpu.launch_func @m_triangle_loop::@k blocks in (%k1, %k1, %k1) threads in (%k256, %k1, %k1) args(%n : index, %a : memref<10x10xf64>)
    return
  }
  gpu.module @m_triangle_loop {
    gpu.func @k(%n: index, %a: memref<10x10xf64>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %bx = gpu.block_id x
      %tx = gpu.thread_id x
      %dx = gpu.block_dim x
      %bx0 = arith.muli %bx, %dx : index
      %i = arith.addi %bx0, %tx : index
      %in = arith.cmpi sgt, %n, %i : index
      scf.if %in {
        scf.for %j = %c0 to %i step %c1 {
          %p = memref.load %a[%i, %j] : memref<10x10xf64>
          %q = math.exp %p : f64
          %r = math.fma %q, %p, %p : f64
          memref.store %r, %a[%i, %j] : memref<10x10xf64>
        }
      }
      gpu.return
    }
  }

  // Away from the edges, every second of the steps in between: 98 threads, 5 times.

  // CHECK-LABEL: func @inner(
  // CHECK-DAG:     %[[N0:.*]] = arith.constant 4.900000e+02 : f64
  // CHECK-DAG:     %[[N1:.*]] = arith.constant 0.000000e+00 : f64
  // CHECK-DAG:     %[[N2:.*]] = arith.constant 3.920000e+02 : f64
  // CHECK:         %[[P:.*]] = xfer.profiled
  // CHECK-NEXT:    scf.if %[[P]] {
  // CHECK-NEXT:      xfer.note_work %[[N0]], %[[N1]], %[[N2]]
  // CHECK-NEXT:    }
  // CHECK-NEXT:    gpu.launch_func
  func.func @inner(%a: memref<100xf32>) {
    %n = arith.constant 100 : index
    %k1 = arith.constant 1 : index
    %k128 = arith.constant 128 : index
    gpu.launch_func @m_inner::@k blocks in (%k1, %k1, %k1) threads in (%k128, %k1, %k1) args(%n : index, %a : memref<100xf32>)
    return
  }
  gpu.module @m_inner {
    gpu.func @k(%n: index, %a: memref<100xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %bx = gpu.block_id x
      %tx = gpu.thread_id x
      %dx = gpu.block_dim x
      %bx0 = arith.muli %bx, %dx : index
      %i = arith.addi %bx0, %tx : index
      %c2 = arith.constant 2 : index
      %c9 = arith.constant 9 : index
      %last = arith.subi %n, %c1 : index
      %above = arith.cmpi sge, %i, %c1 : index
      %under = arith.cmpi slt, %i, %last : index
      %in = arith.andi %above, %under : i1
      scf.if %in {
        scf.for %t = %c0 to %c9 step %c2 {
          %l = arith.subi %i, %c1 : index
          %p = memref.load %a[%l] : memref<100xf32>
          %q = arith.addf %p, %p : f32
        }
      }
      gpu.return
    }
  }

  // Two counters in one subscript reach 10 + 20 - 1 elements, one in both 10.

  // CHECK-LABEL: func @sum_of_counters(
  // CHECK-DAG:     %[[N0:.*]] = arith.constant 0.000000e+00 : f64
  // CHECK-DAG:     %[[N1:.*]] = arith.constant 1.560000e+02 : f64
  // CHECK:         %[[P:.*]] = xfer.profiled
  // CHECK-NEXT:    scf.if %[[P]] {
  // CHECK-NEXT:      xfer.note_work %[[N0]], %[[N0]], %[[N1]]
  // CHECK-NEXT:    }
  // CHECK-NEXT:    gpu.launch_func
  func.func @sum_of_counters(%a: memref<40xf32>, %b: memref<10x10xf32>) {
    %n = arith.constant 10 : index
    %k1 = arith.constant 1 : index
    %k32 = arith.constant 32 : index
    gpu.launch_func @m_sum_of_counters::@k blocks in (%k1, %k1, %k1) threads in (%k32, %k1, %k1) args(%n : index, %a : memref<40xf32>, %b : memref<10x10xf32>)
    return
  }
  gpu.module @m_sum_of_counters {
    gpu.func @k(%n: index, %a: memref<40xf32>, %b: memref<10x10xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %bx = gpu.block_id x
      %tx = gpu.thread_id x
      %dx = gpu.block_dim x
      %bx0 = arith.muli %bx, %dx : index
      %i = arith.addi %bx0, %tx : index
      %c20 = arith.constant 20 : index
      %in = arith.cmpi slt, %i, %n : index
      scf.if %in {
        scf.for %j = %c0 to %c20 step %c1 {
          %k = arith.addi %i, %j : index
          %p = memref.load %a[%k] : memref<40xf32>
          memref.store %p, %b[%i, %i] : memref<10x10xf32>
        }
      }
      gpu.return
    }
  }

  // What is not under the condition is the rest: 6 products and 4 * 2 additions.

  // CHECK-LABEL: func @other_branch(
  // CHECK-DAG:     %[[N0:.*]] = arith.constant 1.400000e+01 : f64
  // CHECK-DAG:     %[[N1:.*]] = arith.constant 0.000000e+00 : f64
  // CHECK:         %[[P:.*]] = xfer.profiled
  // CHECK-NEXT:    scf.if %[[P]] {
  // CHECK-NEXT:      xfer.note_work %[[N0]], %[[N1]], %[[N1]]
  // CHECK-NEXT:    }
  // CHECK-NEXT:    gpu.launch_func
  func.func @other_branch(%a: memref<10xf32>) {
    %n = arith.constant 6 : index
    %k1 = arith.constant 1 : index
    %k10 = arith.constant 10 : index
    gpu.launch_func @m_other_branch::@k blocks in (%k1, %k1, %k1) threads in (%k10, %k1, %k1) args(%n : index, %a : memref<10xf32>)
    return
  }
  gpu.module @m_other_branch {
    gpu.func @k(%n: index, %a: memref<10xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %bx = gpu.block_id x
      %tx = gpu.thread_id x
      %dx = gpu.block_dim x
      %bx0 = arith.muli %bx, %dx : index
      %i = arith.addi %bx0, %tx : index
      %f = arith.constant 2.0 : f32
      %w = arith.constant 3 : i32
      %in = arith.cmpi slt, %i, %n : index
      %r = scf.if %in -> (f32) {
        %p = arith.mulf %f, %f fastmath<contract> : f32
        scf.yield %p : f32
      } else {
        %x = arith.sitofp %w : i32 to f32
        %p = arith.addf %x, %f : f32
        %q = arith.addf %p, %f : f32
        scf.yield %q : f32
      }
      gpu.return
    }
  }

  // How often the loop runs is in memory: no operations are known, and of the bytes those of the loads outside.

  // CHECK-LABEL: func @data(
  // CHECK-DAG:     %[[N0:.*]] = arith.constant 0x7FF8000000000000 : f64
  // CHECK-DAG:     %[[N1:.*]] = arith.constant 4.000000e+02 : f64
  // CHECK:         %[[P:.*]] = xfer.profiled
  // CHECK-NEXT:    scf.if %[[P]] {
  // CHECK-NEXT:      xfer.note_work %[[N0]], %[[N0]], %[[N1]]
  // CHECK-NEXT:    }
  // CHECK-NEXT:    gpu.launch_func
  func.func @data(%a: memref<100xi32>, %b: memref<100xf32>) {
    %n = arith.constant 100 : index
    %k1 = arith.constant 1 : index
    %k128 = arith.constant 128 : index
    gpu.launch_func @m_data::@k blocks in (%k1, %k1, %k1) threads in (%k128, %k1, %k1) args(%n : index, %a : memref<100xi32>, %b : memref<100xf32>)
    return
  }
  gpu.module @m_data {
    gpu.func @k(%n: index, %a: memref<100xi32>, %b: memref<100xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %bx = gpu.block_id x
      %tx = gpu.thread_id x
      %dx = gpu.block_dim x
      %bx0 = arith.muli %bx, %dx : index
      %i = arith.addi %bx0, %tx : index
      %in = arith.cmpi slt, %i, %n : index
      scf.if %in {
        %m = memref.load %a[%i] : memref<100xi32>
        %k = arith.index_cast %m : i32 to index
        scf.for %j = %c0 to %k step %c1 {
          %p = memref.load %b[%j] : memref<100xf32>
          %q = arith.addf %p, %p : f32
          memref.store %q, %b[%j] : memref<100xf32>
        }
      }
      gpu.return
    }
  }

  // What joins the values of a block is not counted: 1000 products.

  // CHECK-LABEL: func @across_threads(
  // CHECK-DAG:     %[[N0:.*]] = arith.constant 1.000000e+03 : f64
  // CHECK-DAG:     %[[N1:.*]] = arith.constant 0.000000e+00 : f64
  // CHECK-DAG:     %[[N2:.*]] = arith.constant 4.000000e+03 : f64
  // CHECK:         %[[P:.*]] = xfer.profiled
  // CHECK-NEXT:    scf.if %[[P]] {
  // CHECK-NEXT:      xfer.note_work %[[N0]], %[[N1]], %[[N2]]
  // CHECK-NEXT:    }
  // CHECK-NEXT:    gpu.launch_func
  func.func @across_threads(%a: memref<1000xf32>) {
    %n = arith.constant 1000 : index
    %k1 = arith.constant 1 : index
    %k4 = arith.constant 4 : index
    %k256 = arith.constant 256 : index
    gpu.launch_func @m_across_threads::@k blocks in (%k4, %k1, %k1) threads in (%k256, %k1, %k1) args(%n : index, %a : memref<1000xf32>)
    return
  }
  gpu.module @m_across_threads {
    gpu.func @k(%n: index, %a: memref<1000xf32>) workgroup(%shared : memref<256xf32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %bx = gpu.block_id x
      %tx = gpu.thread_id x
      %dx = gpu.block_dim x
      %bx0 = arith.muli %bx, %dx : index
      %i = arith.addi %bx0, %tx : index
      %in = arith.cmpi slt, %i, %n : index
      %z = arith.constant 0.0 : f32
      %c128 = arith.constant 128 : index
      %width = arith.constant 32 : i32
      %near = arith.constant 1 : i32
      %part = scf.if %in -> (f32) {
        %x = memref.load %a[%i] : memref<1000xf32>
        %y = arith.mulf %x, %x : f32
        scf.yield %y : f32
      } else {
        scf.yield %z : f32
      }
      %other, %valid = gpu.shuffle xor %part, %near, %width : f32
      %sum = arith.addf %part, %other : f32
      memref.store %sum, %shared[%tx] : memref<256xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %left = arith.remui %tx, %c128 : index
      %low = arith.cmpi eq, %left, %tx : index
      scf.if %low {
        %p = memref.load %shared[%tx] : memref<256xf32, #gpu.address_space<workgroup>>
        %q = arith.addf %p, %p : f32
        memref.store %q, %shared[%tx] : memref<256xf32, #gpu.address_space<workgroup>>
      }
      gpu.return
    }
  }

  // Four iterations a thread, one by one at the end: 1000 products on 32 bits.

  // CHECK-LABEL: func @rows_of_threads(
  // CHECK-DAG:     %[[N0:.*]] = arith.constant 1.000000e+03 : f64
  // CHECK-DAG:     %[[N1:.*]] = arith.constant 0.000000e+00 : f64
  // CHECK-DAG:     %[[N2:.*]] = arith.constant 8.000000e+03 : f64
  // CHECK:           xfer.note_work %[[N0]], %[[N1]], %[[N2]]
  func.func @rows_of_threads(%a: memref<1000xf32>, %b: memref<1000xf32>) {
    %n = arith.constant 1000 : index
    %k1 = arith.constant 1 : index
    %k2 = arith.constant 2 : index
    %k128 = arith.constant 128 : index
    gpu.launch_func @m_rows_of_threads::@k blocks in (%k2, %k1, %k1) threads in (%k128, %k1, %k1) args(%n : index, %a : memref<1000xf32>, %b : memref<1000xf32>)
    return
  }
  gpu.module @m_rows_of_threads {
    gpu.func @k(%n: index, %a: memref<1000xf32>, %b: memref<1000xf32>) kernel {
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c250 = arith.constant 250 : index
      %bx = gpu.block_id x
      %tx = gpu.thread_id x
      %dx = gpu.block_dim x
      %bx0 = arith.muli %bx, %dx : index
      %t = arith.addi %bx0, %tx : index
      %in = arith.cmpi slt, %t, %c250 : index
      scf.if %in {
        %i = arith.muli %t, %c4 : index
        %next = arith.addi %i, %c4 : index
        %stop = arith.minsi %n, %next : index
        %last = arith.addi %i, %c3 : index
        %full = arith.cmpi slt, %last, %stop : index
        scf.if %full {
          %x = memref.load %a[%i] : memref<1000xf32>
          %y = arith.mulf %x, %x : f32
          memref.store %y, %b[%i] : memref<1000xf32>
        } else {
          scf.for %j = %i to %stop step %c1 {
            %x = memref.load %a[%j] : memref<1000xf32>
            %y = arith.mulf %x, %x : f32
            memref.store %y, %b[%j] : memref<1000xf32>
          }
        } {gpu.rows = 4 : i64}
      }
      gpu.return
    }
  }

  // Where sizes are arguments the host computes it, as the launch has them.

  // CHECK-LABEL: func @arguments(
  // CHECK-SAME:    %[[G:[^:]*]]: index, %[[N:[^:]*]]: index
  // CHECK:         scf.if
  // CHECK-DAG:       arith.index_cast %[[N]] : index to i64
  // CHECK:           xfer.note_work
  func.func @arguments(%g: index, %n: index, %a: memref<?xf32>) {
    %k1 = arith.constant 1 : index
    %k256 = arith.constant 256 : index
    gpu.launch_func @m_guard::@k2 blocks in (%g, %k1, %k1) threads in (%k256, %k1, %k1) args(%n : index, %a : memref<?xf32>)
    return
  }
}
