// ad-link: -L/usr/lib/x86_64-linux-gnu/lapack -L/usr/lib/x86_64-linux-gnu/blas -l:liblapack.so.3 -l:libblas.so.3 -lm -Wl,-rpath,/usr/lib/x86_64-linux-gnu/lapack:/usr/lib/x86_64-linux-gnu/blas
// ad-needs: lapack/liblapack.so.3
/* LAPACK and BLAS of netlib, as the distribution built them from Fortran: systems, factors, least squares, eigenvalues, products. */
#include "lib/lapack_program.h"
