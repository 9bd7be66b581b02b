/* An analysis that does not exist cannot be switched off.
 * ad-option: -ad-disable=reload,tbrr
 * ad-error: AD002 - -ad-disable: 'tbrr' is not one of recompute, reload, all */
double f(double x) { return x * x; }
