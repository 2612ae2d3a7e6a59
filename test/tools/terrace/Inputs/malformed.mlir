schedule.sequence @malformed {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %p = schedule.tiles %i
}
