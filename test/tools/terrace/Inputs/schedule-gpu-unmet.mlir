schedule.sequence @columns on @f attributes {stage = "parallel"} {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  schedule.map_stencil %i
}
