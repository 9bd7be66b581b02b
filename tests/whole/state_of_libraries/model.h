/* A solver that exists only as machine code, and the memory that it shares with the program. */
struct level { double *cells; int count; };
struct grid { struct level *levels[2]; double *weights; };

/* Of the machine code. */
double prebuilt(double x);
void smooth(const struct grid *grid, double by);
void keep(double *cells);
double kept_sum(int count);
double *own_cells(void);

/* Of the program. */
extern struct grid *grid;
enum { COUNT = 4 };
void make_grid(void);
double model(const double *x);
double weigh(const double *x, const double *weights);
