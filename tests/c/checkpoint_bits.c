/* Gradients with checkpoints and without are the same to the last bit. */
#define SUMS(X)
#include "checkpoint_bits.h"
