/* Gradients with checkpoints and without are the same to the last bit where no loop runs in vectors. */
/* ad-option: -ad-disable=preaccumulation */
/* ad-levels: O0 O1 */
#define SUMS(X)
#include "checkpoint_bits.h"
