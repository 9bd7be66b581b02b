      BLOCK DATA
      INCLUDE 'shared.inc'
      DATA DT, ALPHA /0.125D0, 0.75D0/, NSTEP /4/
      END

* The COMMON block takes an active value.
      SUBROUTINE SETALP(V)
      DOUBLE PRECISION V
      INCLUDE 'shared.inc'
      ALPHA = V
      END
