/* Messages in parallel regions (MPI_THREAD_FUNNELED): the main thread sends and receives, and other threads may add to the same shadows
 * in a reverse sweep (runtime/src/sums.rs). */

/* Of OpenMP's runtime, if the program has it. */
extern int omp_in_parallel(void) __attribute__((weak));
/* The runtime's sums. */
void adrt_sum_double(double *at, double d);
void adrt_sum_float(float *at, float d);
void adrt_sum_settle(void *at, size_t bytes);

static long double read_real(const char *at, enum kind kind, long i) {
  switch (kind) {
  case F32:
    return ((const float *)at)[i];
  case F64:
    return ((const double *)at)[i];
  default:
    return ((const long double *)at)[i];
  }
}

static void write_real(char *at, enum kind kind, long i, long double value) {
  switch (kind) {
  case F32:
    ((float *)at)[i] = (float)value;
    break;
  case F64:
    ((double *)at)[i] = (double)value;
    break;
  default:
    ((long double *)at)[i] = value;
  }
}

static int has_team(void) { return omp_in_parallel && omp_in_parallel(); }

/* In a region, only the main thread may send and receive: each thread of a reverse sweep undoes what the thread of its number did. */
static void check_thread(const char *operation) {
  int is_main = 1;
  char what[256];
  if (!has_team())
    return;
  PMPI_Is_thread_main(&is_main);
  if (is_main)
    return;
  snprintf(what, sizeof what, "%s is called by another thread than the main thread, in a parallel region", operation);
  give_up("AD230", what, "let the main thread send and receive (omp master), or make the call outside of the region");
}

/* What this thread has kept for memory is added to it, before it is read or overwritten. */
static void settle(char *at, size_t bytes) {
  if (has_team())
    adrt_sum_settle(at, bytes);
}

/* Adds a real where other threads may add. */
static void add_shared(char *at, enum kind kind, long i, long double more) {
  if (kind == F80)
    write_real(at, kind, i, read_real(at, kind, i) + more);
  else if (kind == F64)
    adrt_sum_double((double *)at + i, (double)more);
  else
    adrt_sum_float((float *)at + i, (float)more);
}
