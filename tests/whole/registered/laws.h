typedef double (*law_function)(double, const double *);

struct body {
    double at, speed;
    int kind;
    struct body *next;
};

void register_law(int kind, law_function law, const double *constants);
double law_of(int kind, double distance);
double *totals_of(int kind);
void load_stiff(void);
void load_soft(double factor);
double energy(const double *x, int count);
