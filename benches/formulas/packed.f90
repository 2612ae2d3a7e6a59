! The model of examples/formulas/atmosphere.tf packed by hand: cells are
! numbered from 1, sides from 0, and each array has what it needs.
integer(c_int) function atmosphere_packed(n, m, tau, h, rho, th, kd, nu, r, t, q, u, w, fx, fz, gx, gz, d, c, un, wn) &
    bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int64_t), value :: n, m
  real(c_float), value :: tau, h
  real(c_float), intent(in) :: rho(2*m+1), th(2*m+1), kd(0:m), nu(2*m+1)
  real(c_float), intent(inout), dimension(n, m) :: r, t, q, d
  real(c_float), intent(inout), dimension(0:n, m) :: u, un, fx, gx
  real(c_float), intent(inout), dimension(n, 0:m) :: w, wn, fz, gz
  real(c_float), intent(inout) :: c(m)
  integer :: i, k
  real :: x, b
  !$omp parallel private(i, k, x, b)
  !$omp do
  do k = 1, m
    do i = 1, n-1
      x = rho(2*k) + (r(i+1,k) + r(i,k))/2
      un(i,k) = u(i,k) - tau*(p(i+1,k,2*k) - p(i,k,2*k))/(h*x) &
        + tau*nu(2*k)*(u(i+1,k) - 2*u(i,k) + u(i-1,k))/(h*h*x) &
        - tau*u(i,k)*(u(i+1,k) - u(i-1,k))/(2*h)
    end do
  end do
  !$omp do
  do k = 1, m
    do i = 1, n-1
      u(i,k) = un(i,k)
    end do
  end do
  !$omp do
  do k = 1, m-1
    do i = 1, n
      x = rho(2*k+1) + (r(i,k+1) + r(i,k))/2
      b = (t(i,k+1) + t(i,k))/(2*th(2*k+1))
      wn(i,k) = w(i,k) - tau*(p(i,k+1,2*k+2) - p(i,k,2*k))/(h*x) + tau*9.81*(b - (r(i,k+1) + r(i,k))/(2*x)) &
        + tau*nu(2*k+1)*(w(i,k+1) - 2*w(i,k) + w(i,k-1))/(h*h*x) &
        - tau*w(i,k)*(w(i,k+1) - w(i,k-1))/(2*h)
    end do
  end do
  !$omp do
  do k = 1, m-1
    do i = 1, n
      w(i,k) = wn(i,k)
    end do
  end do
  !$omp do
  do k = 1, m
    do i = 1, n
      r(i,k) = r(i,k) - tau*(rho(2*k)*u(i,k) - rho(2*k)*u(i-1,k))/h &
        - tau*(rho(2*k+1)*w(i,k) - rho(2*k-1)*w(i,k-1))/h
    end do
  end do
  !$omp do
  do k = 1, m
    do i = 1, n-1
      fx(i,k) = tau*u(i,k)*bysign(u(i,k), q(i+1,k), (q(i,k) + q(i+1,k))/2, q(i,k))/h
      gx(i,k) = tau*u(i,k)*bysign(u(i,k), t(i+1,k), (t(i,k) + t(i+1,k))/2, t(i,k))/h
    end do
  end do
  !$omp do
  do k = 1, m-1
    do i = 1, n
      fz(i,k) = tau*w(i,k)*bysign(w(i,k), q(i,k+1), (q(i,k) + q(i,k+1))/2, q(i,k))/h
      gz(i,k) = tau*w(i,k)*bysign(w(i,k), t(i,k+1), (t(i,k) + t(i,k+1))/2, t(i,k))/h
    end do
  end do
  !$omp do
  do k = 1, m
    do i = 1, n
      q(i,k) = q(i,k) - (fx(i,k) - fx(i-1,k)) - (fz(i,k) - fz(i,k-1))
      t(i,k) = t(i,k) - (gx(i,k) - gx(i-1,k)) - (gz(i,k) - gz(i,k-1)) &
        + t(i,k)*tau*((u(i,k) - u(i-1,k))/h + (w(i,k) - w(i,k-1))/h) &
        - tau*(w(i,k) + w(i,k-1))/2*(th(2*k+1) - th(2*k-1))/h
    end do
  end do
  !$omp single
  c(1) = tau*kd(1)/(h*h + tau*kd(1))
  do k = 2, m
    c(k) = tau*kd(k)/(h*h + tau*kd(k) + tau*kd(k-1)*(1 - c(k-1)))
  end do
  !$omp end single
  !$omp do
  do i = 1, n
    d(i,1) = q(i,1)*h*h/(h*h + tau*kd(1))
    do k = 2, m
      d(i,k) = (q(i,k)*h*h + tau*kd(k-1)*d(i,k-1))/(h*h + tau*kd(k) + tau*kd(k-1)*(1 - c(k-1)))
    end do
    q(i,m) = d(i,m)
    do k = m-1, 1, -1
      q(i,k) = d(i,k) + c(k)*q(i,k+1)
    end do
  end do
  !$omp end parallel
  atmosphere_packed = 0
contains
  pure real function p(i, k, z)
    integer, intent(in) :: i, k, z
    p = 1.0e4*(r(i,k) + rho(z)*t(i,k)/th(z) + r(i,k)**2/(2*rho(z)) + r(i,k)*t(i,k)/th(z))
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
