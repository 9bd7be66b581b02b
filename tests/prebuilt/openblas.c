// link: -l:libopenblas.so.0 -lm
// needs: libopenblas.so.0
// environment: OPENBLAS_NUM_THREADS=1
// also: any OPENBLAS_CORETYPE=Prescott
// also: ssse3 OPENBLAS_CORETYPE=Core2
// also: avx OPENBLAS_CORETYPE=Sandybridge
// also: avx2 OPENBLAS_CORETYPE=Haswell
// also: avx2 OPENBLAS_CORETYPE=Zen
// also: avx512 OPENBLAS_CORETYPE=SkylakeX
/* The same by OpenBLAS: kernels in assembly for the processor that it finds, and for those of both makers that it is told to take it for. */
#include "lib/lapack_program.h"
