// The sum over k goes from iteration to iteration.
schedule.sequence @wrong on @f {
  %k = schedule.find_loop {iv = "k"} : !schedule.loop
  %p = schedule.parallel %k
  schedule.map_to_gpu %p block [32]
}
