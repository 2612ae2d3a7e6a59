schedule.sequence @large on @f {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %t:2 = schedule.tile %i sizes [16]
}
schedule.sequence @small on @f {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %t:2 = schedule.tile %i sizes [4]
}
