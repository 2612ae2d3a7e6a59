schedule.sequence @wrong {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %p = schedule.parallel %i
}
