/* A request beside another thread is not validated; a function that ends the program elsewhere is, as far as possible.
   check-right: -DNOTHING
   check-link: -lpthread
   check-notes: derivatives are not validated while the program has several threads, in a request on 'square'
   check-notes: differences do not settle (a kink, noise, or runs that end early): only tangent and adjoint were compared, in a request on 'picky'
   check-compares: derivatives agree with respect to x (1), the result (1), in a request on 'square' */
#include <ad.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static double square(double x) { return x * x; }
double __ad_adjoint_square(void *, ...);
static double picky(double x, double y) {
    if (x != 3.0) exit(4);
    return x * y;
}
double __ad_tangent_picky(void *, ...);

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static void *waits(void *p) {
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return p;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&gate);
    if (pthread_create(&thread, NULL, waits, NULL)) return 1;
    printf("%g\n", __ad_adjoint_square((void *)square, 3.0));
    pthread_mutex_unlock(&gate);
    pthread_join(thread, NULL);
    printf("%g\n", __ad_adjoint_square((void *)square, 3.0));
    printf("%g\n", __ad_tangent_picky((void *)picky, 3.0, 1.0, 2.0, 1.0));
}
