/* Bytes of reals that come back through a file that is memory. */
/* ad-flags: -g */
/* ad-error: AD021 32:12 'fmemopen' has no body */
/* ad-error: AD024 32:12 'fread' reads a number */
/* ad-error: AD021 33:5 'open_memstream' has no body */
/* ad-error: AD024 33:5 a number is loaded from the memory of a file */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern double __ad_tangent_double(void *, ...);
extern double __ad_adjoint_double(void *, ...);

static double read_back(double x) {
    char bytes[64] = {0};
    double a = x * x, v = 0;
    FILE *file = fmemopen(bytes, sizeof bytes, "w+");
    fwrite(&a, sizeof a, 1, file), rewind(file);
    if (fread(&v, sizeof v, 1, file) != 1) v = 0;
    fclose(file);
    return v;
}
static double copied(double x) {
    char *bytes;
    size_t count;
    double a = x * x, v;
    FILE *file = open_memstream(&bytes, &count);
    fwrite(&a, sizeof a, 1, file), fclose(file);
    memcpy(&v, bytes, sizeof v), free(bytes);
    return v;
}
double one(double x) {
    return __ad_tangent_double((void *)read_back, x, 1.0) +
    __ad_adjoint_double((void *)copied, x);
}
