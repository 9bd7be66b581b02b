! Fortran 77 as in LINPACK: banded LU in a work array cut by offsets, EQUIVALENCE, COMMON, ENTRY, statement functions, GOTO.
! ad-option: -ad-adjoint=zone_banded_fortran77(y)/(x)
! ad-option: -ad-tangent=zone_banded_fortran77(y)/(x)
! ad-option: -ad-argnames=zone_banded_fortran77_:n,m,x,y
      subroutine zone_banded_fortran77(n, m, x, y)
      integer n, m
      double precision x(n), y(m)
      integer mx, nw
      parameter (mx = 16, nw = 200)
      double precision w(nw), params, tau, theta, sigma
      integer iw(mx), info, iab, irhs, i
      dimension params(3)
      equivalence (params(1), tau), (params(2), theta), (params(3), sigma)
      common /zoneco/ tau2, count
      double precision tau2
      integer count
      double precision avg, a, b
      avg(a, b) = 0.5d0*(a + b)
      save iw
      tau = x(1)
      theta = avg(x(2), x(3))
      sigma = 1.0d0
      tau2 = tau*tau
      count = 0
      iab = 1
      irhs = iab + 4*n
      call zonefb(n, x, params, w(iab), w(irhs))
      call zonebf(w(iab), 4, n, 1, 1, iw, info)
      if (info .ne. 0) go to 90
      call zonebs(w(iab), 4, n, 1, 1, iw, w(irhs), 0)
      y(1) = 0.0d0
      do 10 i = 1, n
        y(1) = y(1) + w(irhs + i - 1)*i
   10 continue
      call zonebt(w(iab), 4, n, 1, 1, iw, w(irhs), 1)
      call zonenm(n, w(irhs), y(2), sigma)
      y(3) = y(2)*count + params(3)*w(irhs)
      return
   90 do 95 i = 1, m
        y(i) = 0.0d0
   95 continue
      end

      subroutine zonefb(n, x, p, ab, rhs)
      integer n, i, j
      double precision x(*), p(*), ab(4, *), rhs(n), t2
      integer count
      common /zoneco/ t2, count
      do 20 j = 1, n
        do 21 i = 1, 4
          ab(i, j) = 0d0
   21   continue
        ab(3, j) = 0.3d0*x(j) + p(2)
        if (j .gt. 1) ab(2, j) = -1d0 - x(j - 1)*t2
        if (j .lt. n) ab(4, j) = -p(1)*x(j + 1)
        rhs(j) = dsin(x(j)*p(3))
        count = count + 1
   20 continue
      p(3) = p(3)*dsqrt(x(n))
      end

      subroutine zonebf(ab, lda, n, ml, mu, ipvt, info)
      integer lda, n, ml, mu, ipvt(n), info, i, j, k, l, mv
      double precision ab(lda, n), t, zero
      data zero /0.0d0/
      save zero
      mv = ml + mu
      info = 0
      do 60 k = 1, n - 1
        l = 0
        if (dabs(ab(mv + 2, k)) .gt. dabs(ab(mv + 1, k))) l = 1
        ipvt(k) = l + k
        if (ab(mv + 1 + l, k) .eq. zero) then
          info = k
          goto 60
        endif
        if (l .eq. 0) goto 40
        t = ab(mv + 2, k)
        ab(mv + 2, k) = ab(mv + 1, k)
        ab(mv + 1, k) = t
   40   ab(mv + 2, k) = -ab(mv + 2, k)/ab(mv + 1, k)
        do 50 j = k + 1, min(n, k + mv)
          i = mv + 1 + k - j
          if (l .eq. 0) goto 45
          t = ab(i + 1, j)
          ab(i + 1, j) = ab(i, j)
          ab(i, j) = t
   45     ab(i + 1, j) = ab(i + 1, j) + ab(mv + 2, k)*ab(i, j)
   50   continue
   60 continue
      ipvt(n) = n
      if (ab(mv + 1, n) .eq. zero) info = n
      end

      subroutine zonebs(ab, lda, n, ml, mu, ipvt, b, job)
      integer lda, n, ml, mu, ipvt(*), job, k, l, mv, j
      double precision ab(lda, *), b(*), t
      integer way
      way = 0
      goto 100
      entry zonebt(ab, lda, n, ml, mu, ipvt, b, job)
      way = job
  100 mv = ml + mu
      if (way .ne. 0) goto 200
      do 110 k = 1, n - 1
        l = ipvt(k)
        t = b(l)
        if (l .eq. k) goto 105
        b(l) = b(k)
        b(k) = t
  105   b(k + 1) = b(k + 1) + t*ab(mv + 2, k)
  110 continue
      do 130 k = n, 1, -1
        b(k) = b(k)/ab(mv + 1, k)
        do 120 j = max(1, k - mv), k - 1
          b(j) = b(j) - b(k)*ab(mv + 1 + j - k, k)
  120   continue
  130 continue
      return
  200 do 220 k = 1, n
        t = b(k)
        do 210 j = max(1, k - mv), k - 1
          t = t - b(j)*ab(mv + 1 + j - k, k)
  210   continue
        b(k) = t/ab(mv + 1, k)
  220 continue
      do 230 k = n - 1, 1, -1
        b(k) = b(k) + ab(mv + 2, k)*b(k + 1)
        l = ipvt(k)
        if (l .ne. k) then
          t = b(l)
          b(l) = b(k)
          b(k) = t
        endif
  230 continue
      end

      subroutine zonenm(n, v, s, scale)
      integer n, i
      double precision v(n), s, scale, big, ssq
      big = 0d0
      ssq = 1d0
      do 300 i = 1, n
        if (v(i) .eq. 0d0) goto 300
        if (big .lt. dabs(v(i))) then
          ssq = 1d0 + ssq*(big/v(i))**2
          big = dabs(v(i))
        else
          ssq = ssq + (v(i)/big)**2
        end if
  300 continue
      s = scale*big*dsqrt(ssq)
      end

program zone_banded_fortran77_test
  use check
  implicit none
  procedure(kernel) :: zone_banded_fortran77
  procedure(kernel_tangent) :: zone_banded_fortran77_d
  procedure(kernel_adjoint) :: zone_banded_fortran77_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_banded_fortran77', zone_banded_fortran77, zone_banded_fortran77_d, zone_banded_fortran77_b, x, 3)
  end do
  call check_done()
end program zone_banded_fortran77_test
