/* Arrays of variable length, also inside a loop. */
#include "requests.h"
enum {N=5};
static double vla(const double *x) { int n = N; double s=0; for(int k=1;k<=n;k++){ double t[k]; for(int i=0;i<k;i++) t[i]=x[i]*x[k-1]; for(int i=0;i<k;i++) s+=t[i]*t[k-1-i]; } return s; }
AD_FUNCTIONAL(vla)
int main(void){ check_case c = CHECK_FUNCTIONAL(vla,N); check_random_points(&c,3,0.2,1.2); return check_done(); }
