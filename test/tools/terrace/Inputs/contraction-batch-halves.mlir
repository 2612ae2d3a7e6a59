schedule.sequence @larger on @halves attributes {stage = "source"} {
  %r = schedule.find_loop {iv = "r"} : !schedule.loop
  schedule.map_contraction %r block [128, 256]
}
