// link: -l:libopenblas.so.0 -lm
// needs: libopenblas.so.0
// environment: OPENBLAS_NUM_THREADS=1
/* The same by OpenBLAS: kernels in assembly for the processor that it finds. */
#include "lib/lapack_program.h"
