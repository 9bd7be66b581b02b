// ad-link: -l:libopenblas.so.0 -lm
// ad-needs: libopenblas.so.0
// ad-environment: OPENBLAS_NUM_THREADS=1
// ad-again: any OPENBLAS_CORETYPE=Prescott
// ad-again: ssse3 OPENBLAS_CORETYPE=Core2
// ad-again: avx OPENBLAS_CORETYPE=Sandybridge
// ad-again: avx2 OPENBLAS_CORETYPE=Haswell
// ad-again: avx2 OPENBLAS_CORETYPE=Zen
// ad-again: avx512 OPENBLAS_CORETYPE=SkylakeX
/* The same by OpenBLAS: kernels in assembly for the processor that it finds, and for those of both makers that it is told to take it for. */
#include "lib/lapack_program.h"
