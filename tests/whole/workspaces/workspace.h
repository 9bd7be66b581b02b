struct grid {
    int count;
    double *cells;
    double **rows;
};

extern double *scratch;
extern struct grid *grid;

void make_workspaces(int count);
void grow_scratch(int count);
void free_workspaces(void);
double *row(int i);
double model(const double *x, int count);
