/* Gradients with checkpoints and without are the same to the last bit, whatever runs in vectors, where sums stay in the order of the code. */
/* ad-option: -ad-sums=ordered */
// ad-i386: sse2, compares bits
#define SUMS(X) X(nested) X(sums)
#include "checkpoint_bits.h"
