/* A gradient of C, line by line: the forward sweep, the reverse sweep, variables and their adjoints.
 * ad-build: -O0 -g
 * ad-gdb: break loss.adjoint
 * ad-gdb: run
 * ad-shows: loss.adjoint (x=0x
 * ad-shows: n=2, scale=3, x_b=0x
 * ad-gdb: print x[0]@2
 * ad-shows: {1, 2}
 * ad-gdb: break gradient.c:42
 * ad-gdb: continue
 * ad-gdb: print square
 * ad-shows: = 1
 * ad-gdb: bt
 * ad-shows: gradient.c:42
 * ad-shows: in main () at
 * ad-gdb: continue
 * ad-gdb: print sum
 * ad-shows: = 1
 * ad-gdb: delete
 * ad-gdb: break gradient.c:41
 * ad-gdb: continue
 * ad-gdb: print square_b
 * ad-shows: = 90
 * ad-gdb: print i
 * ad-shows: = 1
 * ad-gdb: print x_b[0]@2
 * ad-shows: {0, 0}
 * ad-gdb: continue
 * ad-gdb: print x_b[1]
 * ad-shows: = 360
 * ad-gdb: delete
 * ad-gdb: finish
 * ad-shows: main () at
 */
#include <ad.h>
#include <stdio.h>

double loss(const double *x, int n, double scale) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double square = x[i] * x[i];
        sum += square;
    }
    double result = scale * sum;
    return result * result;
}
double __ad_adjoint_loss(void *, ...);

int main(void) {
    double x[2] = {1, 2}, xb[2] = {0, 0};
    double scaleb = __ad_adjoint_loss((void *)loss, x, xb, 2, 3.0);
    printf("%g %g %g\n", xb[0], xb[1], scaleb);
    return 0;
}
