struct table { int count; double *values; struct table *next; };
struct settings { double scale; double *weights; };
struct held { double *inner; };
struct table *before_table(void);
double before_sum(double x);
struct settings *before_settings(void);
double before_use(void);
void before_hold(double *inner);
struct held *before_held(void);
