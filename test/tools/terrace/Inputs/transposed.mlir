schedule.sequence @other on @somewhere {
  %i = schedule.find_loop {iv = "nothing"} : !schedule.loop
}
schedule.sequence @transposed on @f {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %t:2 = schedule.permute %i order [1, 0]
  %p = schedule.parallel %t#0
}
