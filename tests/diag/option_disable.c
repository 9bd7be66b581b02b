/* An analysis that does not exist cannot be switched off.
 * ad-option: -ad-disable=tbr,tbrr
 * ad-error: AD002 - -ad-disable: 'tbrr' is not one of points-to */
double f(double x) { return x * x; }
