/* C++ objects on the way: operator new and delete, a class with constructor, destructor and methods, std::vector and
 * std::array as temporaries, and unique_ptr. */
#include "requests.h"
#include <array>
#include <memory>
#include <vector>

enum { N = 4 };

class Buffer {
  public:
    explicit Buffer(int length) : length_(length), data_(new double[length]) {}
    ~Buffer() { delete[] data_; }
    double &operator[](int i) { return data_[i]; }
    double sum() const {
        double s = 0.0;
        for (int i = 0; i < length_; i++) s += data_[i] * (i + 1.0);
        return s;
    }

  private:
    int length_;
    double *data_;
};

static double buffered(const double *x) {
    Buffer b(N);
    for (int i = 0; i < N; i++) b[i] = x[i] * x[i];
    b[0] = b[1] * b[2];
    return b.sum() * x[0];
}
static double with_vector(const double *x) {
    std::vector<double> v(N);
    for (int i = 0; i < N; i++) v[i] = std::exp(x[i]);
    double sum = 0.0;
    for (double t : v) sum += t * v[0];
    return sum;
}
static double growing(const double *x) { /* push_back reallocates and moves */
    std::vector<double> v;
    for (int i = 0; i < N; i++) {
        v.push_back(x[i] * x[i]);
        if (i % 2) v.push_back(v.back() * x[0]);
    }
    double product = 1.0;
    for (double t : v) product = product * 0.5 + t * t;
    return product;
}
static double with_array(const double *x) {
    std::array<std::array<double, 2>, 2> m = {{{x[0], x[1]}, {x[2], x[3]}}};
    auto copy = m;
    copy[0][0] *= m[1][1];
    return copy[0][0] * copy[1][0] - copy[0][1] * m[0][0];
}
static double owned(const double *x) {
    auto p = std::make_unique<double>(x[0] * x[1]);
    auto q = std::move(p);
    *q += x[2];
    return *q * *q * x[3];
}
AD_FUNCTIONAL(buffered)
AD_FUNCTIONAL(with_vector)
AD_FUNCTIONAL(growing)
AD_FUNCTIONAL(with_array)
AD_FUNCTIONAL(owned)

static void with_vector_jacobian(const double *x, double *J) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += std::exp(x[i]);
    for (int i = 0; i < N; i++) J[i] = std::exp(x[i] + x[0]);
    J[0] += sum * std::exp(x[0]);
}

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(buffered, N), CHECK_FUNCTIONAL(with_vector, N), CHECK_FUNCTIONAL(growing, N),
                          CHECK_FUNCTIONAL(with_array, N), CHECK_FUNCTIONAL(owned, N)};
    cases[1].jacobian = with_vector_jacobian;
    for (check_case &c : cases) check_random_points(&c, 3, 0.3, 1.2);
    return check_done();
}
