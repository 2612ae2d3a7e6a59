! The model of examples/formulas/atmosphere.tf as one writes it down: arrays have all indices, and
! loops go to each second one.
integer(c_int) function atmosphere_plain(n, m, tau, h, rho, th, kd, nu, r, t, q, u, w, fx, fz, gx, gz, d, c, un, wn) &
    bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int64_t), value :: n, m
  real(c_float), value :: tau, h
  real(c_float), intent(in) :: rho(2*m+1), th(2*m+1), kd(2*m+1), nu(2*m+1)
  real(c_float), intent(inout), dimension(2*n+1, 2*m+1) :: r, t, q, u, w, fx, fz, gx, gz, d, un, wn
  real(c_float), intent(inout) :: c(2*m+1)
  integer :: i, k
  real :: x, b
  !$omp parallel private(i, k, x, b)
  !$omp do
  do k = 2, 2*m, 2
    do i = 3, 2*n-1, 2
      x = rho(k) + (r(i+1,k) + r(i-1,k))/2
      un(i,k) = u(i,k) - tau*(p(i+1,k) - p(i-1,k))/(h*x) &
        + tau*nu(k)*(u(i+2,k) - 2*u(i,k) + u(i-2,k))/(h*h*x) &
        - tau*u(i,k)*(u(i+2,k) - u(i-2,k))/(2*h)
    end do
  end do
  !$omp do
  do k = 2, 2*m, 2
    do i = 3, 2*n-1, 2
      u(i,k) = un(i,k)
    end do
  end do
  !$omp do
  do k = 3, 2*m-1, 2
    do i = 2, 2*n, 2
      x = rho(k) + (r(i,k+1) + r(i,k-1))/2
      b = (t(i,k+1) + t(i,k-1))/(2*th(k))
      wn(i,k) = w(i,k) - tau*(p(i,k+1) - p(i,k-1))/(h*x) + tau*9.81*(b - (r(i,k+1) + r(i,k-1))/(2*x)) &
        + tau*nu(k)*(w(i,k+2) - 2*w(i,k) + w(i,k-2))/(h*h*x) &
        - tau*w(i,k)*(w(i,k+2) - w(i,k-2))/(2*h)
    end do
  end do
  !$omp do
  do k = 3, 2*m-1, 2
    do i = 2, 2*n, 2
      w(i,k) = wn(i,k)
    end do
  end do
  !$omp do
  do k = 2, 2*m, 2
    do i = 2, 2*n, 2
      r(i,k) = r(i,k) - tau*(rho(k)*u(i+1,k) - rho(k)*u(i-1,k))/h &
        - tau*(rho(k+1)*w(i,k+1) - rho(k-1)*w(i,k-1))/h
    end do
  end do
  !$omp do
  do k = 2, 2*m, 2
    do i = 3, 2*n-1, 2
      fx(i,k) = tau*u(i,k)*bysign(u(i,k), q(i+1,k), (q(i-1,k) + q(i+1,k))/2, q(i-1,k))/h
      gx(i,k) = tau*u(i,k)*bysign(u(i,k), t(i+1,k), (t(i-1,k) + t(i+1,k))/2, t(i-1,k))/h
    end do
  end do
  !$omp do
  do k = 3, 2*m-1, 2
    do i = 2, 2*n, 2
      fz(i,k) = tau*w(i,k)*bysign(w(i,k), q(i,k+1), (q(i,k-1) + q(i,k+1))/2, q(i,k-1))/h
      gz(i,k) = tau*w(i,k)*bysign(w(i,k), t(i,k+1), (t(i,k-1) + t(i,k+1))/2, t(i,k-1))/h
    end do
  end do
  !$omp do
  do k = 2, 2*m, 2
    do i = 2, 2*n, 2
      q(i,k) = q(i,k) - (fx(i+1,k) - fx(i-1,k)) - (fz(i,k+1) - fz(i,k-1))
      t(i,k) = t(i,k) - (gx(i+1,k) - gx(i-1,k)) - (gz(i,k+1) - gz(i,k-1)) &
        + t(i,k)*tau*((u(i+1,k) - u(i-1,k))/h + (w(i,k+1) - w(i,k-1))/h) &
        - tau*(w(i,k+1) + w(i,k-1))/2*(th(k+1) - th(k-1))/h
    end do
  end do
  !$omp single
  c(2) = tau*kd(3)/(h*h + tau*kd(3))
  do k = 4, 2*m, 2
    c(k) = tau*kd(k+1)/(h*h + tau*kd(k+1) + tau*kd(k-1)*(1 - c(k-2)))
  end do
  !$omp end single
  !$omp do
  do i = 2, 2*n, 2
    d(i,2) = q(i,2)*h*h/(h*h + tau*kd(3))
    do k = 4, 2*m, 2
      d(i,k) = (q(i,k)*h*h + tau*kd(k-1)*d(i,k-2))/(h*h + tau*kd(k+1) + tau*kd(k-1)*(1 - c(k-2)))
    end do
    q(i,2*m) = d(i,2*m)
    do k = 2*m-2, 2, -2
      q(i,k) = d(i,k) + c(k)*q(i,k+2)
    end do
  end do
  !$omp end parallel
  atmosphere_plain = 0
contains
  pure real function p(i, k)
    integer, intent(in) :: i, k
    p = 1.0e4*(r(i,k) + rho(k)*t(i,k)/th(k) + r(i,k)**2/(2*rho(k)) + r(i,k)*t(i,k)/th(k))
  end function
  pure real function bysign(x, below, at, above)
    real, intent(in) :: x, below, at, above
    if (x < 0) then
      bysign = below
    else if (x > 0) then
      bysign = above
    else
      bysign = at
    end if
  end function
end function
