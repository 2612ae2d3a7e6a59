schedule.sequence @large on @doubles attributes {stage = "source"} {
  %r = schedule.find_loop {iv = "r"} : !schedule.loop
  schedule.map_contraction %r block [128, 128]
}
