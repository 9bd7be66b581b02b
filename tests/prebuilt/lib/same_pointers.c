#include "same_pointers.h"

#include <string.h>

double same_table[3] = {0.05, -0.8, 0.01};
static void (*enrolled)(void);

view same_returned(const view *v) { return *v; }
void same_stored(view *to, const view *from) { *to = *from; }
void same_bytes(void *to, const view *from) { memcpy(to, from, sizeof *from); }
void same_enroll(void (*f)(void)) { enrolled = f; }
double *same_pointer(double *x) { return x; }
