schedule.sequence @large on @parts attributes {stage = "source"} {
  %p = schedule.find_loop {iv = "p"} : !schedule.loop
  schedule.map_contraction %p block [128, 128]
}
