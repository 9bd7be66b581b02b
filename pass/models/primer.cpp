// What modules have in common, for bitpack: declarations, attributes, types, metadata and idioms that most of them have. Nobody runs it.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
struct Node { double x[3]; float w; int kind; Node *next; };
class Shape { public: virtual ~Shape() {} virtual double area() const = 0; };
class Disc : public Shape { double r; public: Disc(double r) : r(r) {} double area() const override { return 3.14 * r * r; } };
static double table[4] = {1, 2, 3, 4};
int count;
double norm(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += x[i] * x[i];
  return std::sqrt(s);
}
double visit(Node *n, double *out) {
  double total = 0;
  for (; n; n = n->next) {
    if (n->kind == 1) total += std::exp(n->x[0]) * n->w;
    else if (n->kind == 2) { total -= std::sin(n->x[1]) / std::cos(n->x[2]); out[0] = total; }
    else if (n->x[0] > 1.5) out[n->kind & 3] += table[n->kind & 3];
  }
  return total;
}
void scale(float *a, const float *b, unsigned long n, float f) { for (unsigned long i = 0; i < n; i++) a[i] = b[i] * f + 0.5f; }
double sum(const std::vector<double> &v) { double s = 0; for (double d : v) s += d * std::log(std::fabs(d) + 1); return s; }
int run(int argc, char **argv) {
  std::vector<double> v(argc, 1.0);
  double *y = (double *)std::malloc(8 * sizeof(double));
  if (!y) { std::fprintf(stderr, "no memory\n"); std::exit(1); }
  std::memset(y, 0, 64);
  Disc d(2.0);
  Shape *s = &d;
  v.push_back(s->area());
  std::printf("%d %g %g\n", count++, sum(v), norm(y, 8));
  std::free(y);
  return argv[1] ? std::atoi(argv[1]) : 0;
}
