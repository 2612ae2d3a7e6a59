schedule.sequence @s {
  schedule.unroll %nowhere full
}
