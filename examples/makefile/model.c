/* What is differentiated, as one translation unit. */
#include "force.c"
#include "pendulum.c"
