// RUN: terrace-opt %s --verify-diagnostics --xfer-check

// What is coherent on all paths is accepted.

!a = memref<8xf32>
!d = memref<8xf32, #xfer.device>

module attributes {gpu.container_module} {
  func.func @in_and_out(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    xfer.copy %d to %A : !d to !a
    %x = memref.load %A[%c0] : !a
    xfer.free %d : !d
    return
  }

  // The host only reads what both have.
  func.func @both(%A: !a) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    %x = memref.load %A[%c0] : !a
    xfer.assert_valid %A, %d on both : !a, !d
    return %x : f32
  }

  // One copy in and one out around a loop of kernels, which may not run.
  func.func @around_a_loop(%A: !a, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    scf.for %i = %c0 to %n step %c1 {
      gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    }
    xfer.copy %d to %A : !d to !a
    return
  }

  // Copies in the then-branch of what says that the loop runs.
  func.func @guarded(%A: !a, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    %some = arith.cmpi slt, %c0, %n : index
    scf.if %some {
      memref.store %f, %A[%c0] : !a
      scf.for %i = %c0 to %n step %c1 {
        xfer.copy %A to %d : !a to !d
      }
      gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
      xfer.copy %d to %A : !d to !a
    }
    return
  }
  func.func @guarded_the_other_way(%A: !a, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    %some = arith.cmpi sgt, %n, %c0 : index
    scf.if %some {
      affine.for %i = 0 to %n {
        xfer.copy %A to %d : !a to !d
      }
      gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    }
    return
  }
  func.func @guarded_without_sign(%A: !a, %n: i32, %one: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %zero = arith.constant 0 : i32
    %d = xfer.create %A : !a to !d
    %some = arith.cmpi ult, %zero, %n : i32
    scf.if %some {
      scf.for unsigned %i = %zero to %n step %one : i32 {
        xfer.copy %A to %d : !a to !d
      }
      gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    }
    return
  }
  func.func @constant_bounds(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    affine.for %i = 0 to 8 {
      xfer.copy %A to %d : !a to !d
      gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
      xfer.copy %d to %A : !d to !a
    }
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    return
  }

  // Who writes is known at run time only; the flags tell.
  func.func @flags(%A: !a, %p: i1, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    scf.for %i = %c0 to %n step %c1 {
      scf.if %p {
        xfer.ensure %A, %d on device : !a, !d
        gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
        xfer.mark_written %A, %d on device : !a, !d
      } else {
        xfer.ensure %A, %d on host : !a, !d
        memref.store %f, %A[%c0] : !a
        xfer.mark_written %A, %d on host : !a, !d
      }
    }
    xfer.ensure %A, %d on host : !a, !d
    %x = memref.load %A[%c0] : !a
    return
  }

  // What was written before does not count after a discard.
  func.func @discarded(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.discard %A : !a
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    xfer.discard %A : !a
    memref.store %f, %A[%c0] : !a
    return
  }

  // Nobody sees an array of the function's own once it has returned.
  func.func @own() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %A = memref.alloc() : !a
    %d = xfer.create %A : !a to !d
    xfer.discard %A : !a
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    xfer.free %d : !d
    memref.dealloc %A : !a
    return
  }

  // In each iteration another array, and another mirror.
  func.func @in_a_loop(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    scf.for %i = %c0 to %n step %c1 {
      %A = memref.alloc() : !a
      memref.store %f, %A[%c0] : !a
      %d = xfer.create %A : !a to !d
      xfer.copy %A to %d : !a to !d
      gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
      memref.dealloc %A : !a
      xfer.free %d : !d
    }
    return
  }

  // Each array is known to others, and another one in each iteration.
  func.func @shared_in_a_loop(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    scf.for %i = %c0 to %n step %c1 {
      %A = memref.alloc() : !a
      memref.store %f, %A[%c0] : !a
      func.call @unknown(%A) : (!a) -> ()
      %d = xfer.create %A : !a to !d
      xfer.copy %A to %d : !a to !d
      gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
      xfer.copy %d to %A : !d to !a
      xfer.free %d : !d
      memref.dealloc %A : !a
    }
    return
  }
  func.func private @unknown(!a)

  // What is freed is out of reach.
  func.func @freed_and_called(%B: !a, %C: !a, %p: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %A = memref.alloc() : !a
    memref.store %f, %A[%c0] : !a
    call @unknown(%A) : (!a) -> ()
    %d = xfer.create %A : !a to !d
    xfer.free %d : !d
    memref.dealloc %A : !a
    call @unknown(%B) : (!a) -> ()
    %D = arith.select %p, %B, %C : !a
    %x = memref.load %D[%c0] : !a
    return
  }

  // Forty loops deep.
  func.func @deep(%A: !a, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    scf.for %i0 = %c0 to %n step %c1 {
      scf.for %i1 = %c0 to %n step %c1 {
        scf.for %i2 = %c0 to %n step %c1 {
          scf.for %i3 = %c0 to %n step %c1 {
            scf.for %i4 = %c0 to %n step %c1 {
              scf.for %i5 = %c0 to %n step %c1 {
                scf.for %i6 = %c0 to %n step %c1 {
                  scf.for %i7 = %c0 to %n step %c1 {
                    scf.for %i8 = %c0 to %n step %c1 {
                      scf.for %i9 = %c0 to %n step %c1 {
                        scf.for %i10 = %c0 to %n step %c1 {
                          scf.for %i11 = %c0 to %n step %c1 {
                            scf.for %i12 = %c0 to %n step %c1 {
                              scf.for %i13 = %c0 to %n step %c1 {
                                scf.for %i14 = %c0 to %n step %c1 {
                                  scf.for %i15 = %c0 to %n step %c1 {
                                    scf.for %i16 = %c0 to %n step %c1 {
                                      scf.for %i17 = %c0 to %n step %c1 {
                                        scf.for %i18 = %c0 to %n step %c1 {
                                          scf.for %i19 = %c0 to %n step %c1 {
                                            scf.for %i20 = %c0 to %n step %c1 {
                                              scf.for %i21 = %c0 to %n step %c1 {
                                                scf.for %i22 = %c0 to %n step %c1 {
                                                  scf.for %i23 = %c0 to %n step %c1 {
                                                    scf.for %i24 = %c0 to %n step %c1 {
                                                      scf.for %i25 = %c0 to %n step %c1 {
                                                        scf.for %i26 = %c0 to %n step %c1 {
                                                          scf.for %i27 = %c0 to %n step %c1 {
                                                            scf.for %i28 = %c0 to %n step %c1 {
                                                              scf.for %i29 = %c0 to %n step %c1 {
                                                                scf.for %i30 = %c0 to %n step %c1 {
                                                                  scf.for %i31 = %c0 to %n step %c1 {
                                                                    scf.for %i32 = %c0 to %n step %c1 {
                                                                      scf.for %i33 = %c0 to %n step %c1 {
                                                                        scf.for %i34 = %c0 to %n step %c1 {
                                                                          scf.for %i35 = %c0 to %n step %c1 {
                                                                            scf.for %i36 = %c0 to %n step %c1 {
                                                                              scf.for %i37 = %c0 to %n step %c1 {
                                                                                scf.for %i38 = %c0 to %n step %c1 {
                                                                                  scf.for %i39 = %c0 to %n step %c1 {
                                                                                    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
                                                                                  }
                                                                                }
                                                                              }
                                                                            }
                                                                          }
                                                                        }
                                                                      }
                                                                    }
                                                                  }
                                                                }
                                                              }
                                                            }
                                                          }
                                                        }
                                                      }
                                                    }
                                                  }
                                                }
                                              }
                                            }
                                          }
                                        }
                                      }
                                    }
                                  }
                                }
                              }
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
    xfer.copy %d to %A : !d to !a
    return
  }

  // A mirror for each launch.
  func.func @naive(%A: !a, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    xfer.copy %d to %A : !d to !a
    xfer.free %d : !d
    %e = xfer.create %A : !a to !d
    xfer.copy %A to %e : !a to !d
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%e : !d)
    xfer.copy %e to %A : !d to !a
    xfer.free %e : !d
    return
  }

  // All of the array is copied over: nobody needs what the device had.
  func.func @overwritten(%A: !a, %e: !d) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    xfer.copy %e to %A : !d to !a
    %x = memref.load %A[%c0] : !a
    return
  }

  // A part more, where both are valid but for it.
  func.func @whole_through_a_view(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %B = memref.cast %A : !a to memref<?xf32>
    %d = xfer.create %A : !a to !d
    xfer.copy %B to %d : memref<?xf32> to !d
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    xfer.copy %d to %A : !d to !a
    return
  }

  // A kernel where it is launched; memory of its own does not count.
  func.func @launch(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %t = memref.alloca() : memref<1xf32>
      %x = memref.load %d[%tx] : !d
      memref.store %x, %t[%c0] : memref<1xf32>
      %y = memref.load %t[%c0] : memref<1xf32>
      memref.store %y, %d[%tx] : !d
      gpu.terminator
    }
    xfer.copy %d to %A : !d to !a
    return
  }

  // Each iteration finds the array where the last one left it.
  func.func @while(%A: !a, %p: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    scf.while : () -> () {
      xfer.copy %A to %d : !a to !d
      scf.condition(%p)
    } do {
      gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
      xfer.copy %d to %A : !d to !a
      scf.yield
    }
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    %x = memref.load %A[%c0] : !a
    return
  }

  func.func @branches(%A: !a, %p: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    cf.cond_br %p, ^kernel, ^host
  ^kernel:
    xfer.copy %A to %d : !a to !d
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    xfer.copy %d to %A : !d to !a
    cf.br ^end
  ^host:
    memref.store %f, %A[%c0] : !a
    cf.br ^end
  ^end:
    %x = memref.load %A[%c0] : !a
    return
  }

  gpu.module @k {
    gpu.func @get(%d: !d) kernel {
      %c0 = arith.constant 0 : index
      %x = memref.load %d[%c0] : !d
      gpu.printf "%f", %x : f32
      gpu.return
    }
    gpu.func @set(%d: !d) kernel {
      %c0 = arith.constant 0 : index
      %x = memref.load %d[%c0] : !d
      memref.store %x, %d[%c0] : !d
      gpu.return
    }
  }
}
