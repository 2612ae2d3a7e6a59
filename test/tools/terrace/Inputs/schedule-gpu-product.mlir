schedule.sequence @columns on @f attributes {stage = "source"} {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  schedule.map_contraction %i
}
