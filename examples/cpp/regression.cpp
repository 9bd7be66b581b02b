// The gradient of a logistic regression's loss: a template, references and vectors.
#include <ad.h>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

using vector = std::vector<double>;

struct logistic {
    double operator()(double margin) const { return std::log1p(std::exp(-margin)); }
};

// Samples lie one after the other, each with as many numbers as there are weights; labels are 1 and -1.
template <typename Loss> double loss(const vector &weights, const vector &samples, const vector &labels) {
    double sum = 0.0;
    for (std::size_t s = 0; s < labels.size(); s++) {
        double dot = 0.0;
        for (std::size_t i = 0; i < weights.size(); i++) dot += weights[i] * samples[s * weights.size() + i];
        sum += Loss{}(labels[s] * dot);
    }
    return sum;
}

int main() {
    constexpr std::size_t count = 20, size = 4;
    vector weights(size), samples(count * size), labels(count), bar(size);
    for (std::size_t i = 0; i < size; i++) weights[i] = 0.5 - 0.3 * i;
    for (std::size_t i = 0; i < samples.size(); i++) samples[i] = std::sin(1.7 * i);
    for (std::size_t s = 0; s < count; s++) labels[s] = s % 3 == 0 ? 1.0 : -1.0;

    // The shadow follows its vector; the data are constants.
    __ad_adjoint<void>(loss<logistic>, &weights, &bar, &ad_const, &samples, &ad_const, &labels);

    double worst = 0.0;
    for (std::size_t i = 0; i < size; i++) {
        double exact = 0.0;
        for (std::size_t s = 0; s < count; s++) {
            double dot = 0.0;
            for (std::size_t j = 0; j < size; j++) dot += weights[j] * samples[s * size + j];
            exact -= labels[s] * samples[s * size + i] / (1.0 + std::exp(labels[s] * dot));
        }
        std::printf("w%zu %14.10f %14.10f\n", i, bar[i], exact);
        worst = std::max(worst, std::fabs(bar[i] - exact));
        if (std::isnan(bar[i])) worst = INFINITY; // std::max would lose it
    }
    std::puts(worst < 1e-12 ? "right" : "WRONG");
    return worst < 1e-12 ? 0 : 1;
}
