schedule.sequence @tiles on @whole {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %t:4 = schedule.tile %i sizes [8, 16]
  %p = schedule.parallel %t#1
}
