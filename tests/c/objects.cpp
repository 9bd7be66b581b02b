/* C++ objects on the way: operator new and delete, a class with constructor, destructor and methods, std::array as a
 * temporary, and unique_ptr. */
// ad-sanitizers: address
#include "requests.h"
#include <array>
#include <memory>

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
AD_FUNCTIONAL(with_array)
AD_FUNCTIONAL(owned)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(buffered, N), CHECK_FUNCTIONAL(with_array, N), CHECK_FUNCTIONAL(owned, N)};
    for (check_case &c : cases) check_random_points(&c, 3, 0.3, 1.2);
    return check_done();
}
