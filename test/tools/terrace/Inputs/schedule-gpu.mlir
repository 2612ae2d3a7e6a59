// Threads along the rows of A, eight of them beside each other, and 25 iterations each.
schedule.sequence @rows on @f attributes {stage = "parallel"} {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  schedule.map_to_gpu %i order [0, 1] tile [200, 1] cyclic block [8, 4]
}
