// Time steps within one parallel region: work sharing, barriers and atomic sums in member functions that the region calls, pointers and
// flags that the main thread sets for all, reals that each thread sums up and adds at the end.
// ad-flags: -fopenmp
// ad-link: -fopenmp
// ad-i386: none, there is no OpenMP runtime of clang's for 32 bits
#include "requests.h"
#include <omp.h>
#include <vector>
enum { N = 4, M = 60 };
struct Atom { double *x, *v, *f; int nlocal; int *list; };
struct Force { double eng, virial, cut; bool evflag;
  __attribute__((noinline)) void compute(Atom &a) {
    double t_eng = 0, t_vir = 0;
    const int n = a.nlocal; const double *const x = a.x; double *const f = a.f;
#pragma omp master
    { eng = 0; virial = 0; }
#pragma omp barrier
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++) f[i] = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++) {
      double fi = 0;
      for (int k = 1; k <= 3; k++) {
        const int j = a.list[(i * 3 + k) % (3 * n)];
        const double d = x[i] - x[j], r2 = d * d + 0.5;
        if (r2 < cut) {
          const double p = d / (r2 * r2);
          fi += p;
#pragma omp atomic
          f[j] -= p;
          if (evflag) { t_eng += 1 / r2; t_vir += d * p; }
        }
      }
#pragma omp atomic
      f[i] += fi;
    }
#pragma omp atomic
    eng += t_eng;
#pragma omp atomic
    virial += t_vir;
#pragma omp barrier
  }
};
struct Integrate { double *x, *v, *f, dt, dtforce; int nlocal, ntimes; double stamps;
  __attribute__((noinline)) void initial() {
#pragma omp for schedule(static)
    for (int i = 0; i < nlocal; i++) { v[i] += dtforce * f[i]; x[i] += dt * v[i]; }
  }
  __attribute__((noinline)) void final() {
#pragma omp for schedule(static)
    for (int i = 0; i < nlocal; i++) v[i] += dtforce * f[i];
  }
  void run(Atom &atom, Force *force) {
    int n;
    dtforce = 0.5 * dt;
#pragma omp parallel private(n)
    for (n = 0; n < ntimes; n++) {
#pragma omp barrier
#pragma omp master
      { x = atom.x; v = atom.v; f = atom.f; nlocal = atom.nlocal; }
#pragma omp barrier
      initial();
#pragma omp master
      stamps += 1;
#pragma omp master
      force->evflag = (n + 1) % 2 == 0;
#pragma omp barrier
      force->compute(atom);
      final();
    }
  }
};
static double simulate(const double *p) {
  std::vector<double> x(M), v(M), f(M); std::vector<int> list(3 * M);
  for (int i = 0; i < M; i++) x[i] = 0.3 * i + p[i % N], v[i] = 0.1 * p[(i + 1) % N];
  for (int i = 0; i < 3 * M; i++) list[i] = (i * 7 + 5) % M;
  Atom a{x.data(), v.data(), f.data(), M, list.data()};
  Force force{0, 0, 50.0, true};
  Integrate in{}; in.dt = 0.05; in.ntimes = 6;
#pragma omp parallel
  force.compute(a);
  in.run(a, &force);
  double s = force.eng + 0.3 * force.virial;
  for (int i = 0; i < M; i++) s += x[i] * v[(i * 3) % M];
  return s;
}
AD_FUNCTIONAL(simulate)
int main() {
  check_case cases[] = {{.name = "simulate", .n = N, .m = 1, .primal = simulate_map, .tangent = simulate_tangent, .adjoint = simulate_adjoint, .has_unit_seed = 1, .adjoint_needs_no_primal = 1, .tangent_needs_no_primal = 1}};
  for (int t = 1; t <= 4; t++) { omp_set_num_threads(t); double x[N] = {0.7, 0.4, 0.9, 0.8}; check_at(&cases[0], x); }
  return check_done();
}
