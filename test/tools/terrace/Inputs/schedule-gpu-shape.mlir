schedule.sequence @product on @f attributes {stage = "source"} {
  %r = schedule.find_loop {iv = "r"} : !schedule.loop
  schedule.map_contraction %r block [32, 32]
}
