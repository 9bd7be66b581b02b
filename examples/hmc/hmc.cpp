// Hamiltonian Monte Carlo: samples of a Bayesian posterior. The force is an adjoint of the potential; the derivatives of a trajectory go
// through the forces, by requests in functions that are differentiated.
#include <ad.h>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

using vector = std::vector<double>;

// Rows of `inputs` lie one after the other.
struct observations {
    std::size_t columns;
    vector inputs, outputs;
};
double product(const observations &data, std::size_t row, const double *weights) {
    double sum = 0.0;
    for (std::size_t i = 0; i < data.columns; i++) sum += weights[i] * data.inputs[row * data.columns + i];
    return sum;
}

// Potentials: minus the logarithm of the posterior's density, but for a constant.
//
// A linear regression with known noise and a Gaussian prior; the posterior is Gaussian.
struct linear {
    static constexpr double noise = 0.5, prior = 2.0;
    static double potential(const vector &q, const observations &data) {
        double sum = 0.0;
        for (double w : q) sum += 0.5 * w * w / (prior * prior);
        for (std::size_t row = 0; row < data.outputs.size(); row++) {
            double residual = data.outputs[row] - product(data, row, q.data());
            sum += 0.5 * residual * residual / (noise * noise);
        }
        return sum;
    }
};
// A logistic regression whose weights have a common scale, of which q has the logarithm last.
struct hierarchical {
    static double potential(const vector &q, const observations &data) {
        double log_scale = q.back(), precision = std::exp(-2.0 * log_scale), sum = 0.5 * log_scale * log_scale;
        for (std::size_t i = 0; i < data.columns; i++) sum += 0.5 * q[i] * q[i] * precision + log_scale;
        for (std::size_t row = 0; row < data.outputs.size(); row++) {
            double margin = (2.0 * data.outputs[row] - 1.0) * product(data, row, q.data());
            sum += std::log1p(std::exp(-margin));
        }
        return sum;
    }
};

// The gradient of the potential by one adjoint, or by as many tangents as there are parameters.
struct by_adjoint {
    template <typename Model> static void gradient(const vector &q, vector &g, const observations &data) {
        std::fill(g.begin(), g.end(), 0.0);
        __ad_adjoint<void>(Model::potential, &q, &g, &ad_const, &data);
    }
};
struct by_tangents {
    template <typename Model> static void gradient(const vector &q, vector &g, const observations &data) {
        vector unit(q.size());
        for (std::size_t i = 0; i < q.size(); i++) {
            unit[i] = 1.0;
            g[i] = __ad_tangent<double>(Model::potential, &q, &unit, &ad_const, &data);
            unit[i] = 0.0;
        }
    }
};

// Moves position and momentum along a trajectory.
template <typename Model, typename Force> void leapfrog(vector &q, vector &p, double step, int count, const observations &data) {
    vector g(q.size());
    Force::template gradient<Model>(q, g, data);
    for (int k = 0; k < count; k++) {
        for (std::size_t i = 0; i < q.size(); i++) p[i] -= 0.5 * step * g[i];
        for (std::size_t i = 0; i < q.size(); i++) q[i] += step * p[i];
        Force::template gradient<Model>(q, g, data);
        for (std::size_t i = 0; i < q.size(); i++) p[i] -= 0.5 * step * g[i];
    }
}
template <typename Model> double energy(const vector &q, const vector &p, const observations &data) {
    return Model::potential(q, data) + 0.5 * std::inner_product(p.begin(), p.end(), p.begin(), 0.0);
}
// By how much the energy changes along a trajectory.
template <typename Model, typename Force>
double energy_error(double step, const vector &q0, const vector &p0, int count, const observations &data) {
    vector q = q0, p = p0;
    leapfrog<Model, Force>(q, p, step, count, data);
    return energy<Model>(q, p, data) - energy<Model>(q0, p0, data);
}

// ---- checks ----

bool is_right = true;
void expect(const char *what, double value, double low, double high) {
    // A comparison with NaN is false: NaN fails.
    bool holds = value >= low && value <= high;
    std::printf("%-64s %10.3e, %.3g to %.3g%s\n", what, value, low, high, holds ? "" : ": WRONG");
    is_right = is_right && holds;
}
void expect(const char *what, double value, double bound) { expect(what, std::fabs(value), 0.0, bound); }
double largest_difference(const vector &a, const vector &b) {
    double worst = 0.0;
    for (std::size_t i = 0; i < a.size(); i++) {
        double difference = std::fabs(a[i] - b[i]);
        if (!(difference <= worst)) worst = difference;
    }
    return worst;
}
vector plus(vector a, double factor, const vector &b) {
    for (std::size_t i = 0; i < a.size(); i++) a[i] += factor * b[i];
    return a;
}

observations observe(std::size_t rows, bool is_binary) {
    observations data{4, vector(rows * 4), vector(rows)};
    for (std::size_t i = 0; i < data.inputs.size(); i++) data.inputs[i] = i % 4 ? std::sin(0.3 * i * i) : 1.0;
    const double weights[4] = {0.3, -0.8, 1.2, 0.5};
    for (std::size_t row = 0; row < rows; row++) {
        double y = product(data, row, weights) + 0.6 * std::cos(2.9 * row);
        data.outputs[row] = is_binary ? y > 0.0 : y;
    }
    return data;
}

// A trajectory, and its derivatives.
void check_trajectory() {
    using model = hierarchical;
    const observations data = observe(40, true);
    const vector q0 = {0.2, -0.5, 0.9, 0.1, -0.3}, p0 = {0.7, -0.4, 0.3, 1.1, -0.6};
    const std::size_t n = q0.size();
    const double step = 0.08;
    const int count = 16;

    vector g(n), other(n);
    by_adjoint::gradient<model>(q0, g, data);
    by_tangents::gradient<model>(q0, other, data);
    expect("forces by an adjoint and by tangents", largest_difference(g, other), 1e-13);
    double slope = std::inner_product(g.begin(), g.end(), p0.begin(), 0.0);
    expect("force against a difference",
           slope - (model::potential(plus(q0, 1e-5, p0), data) - model::potential(plus(q0, -1e-5, p0), data)) / 2e-5, 1e-8);

    auto error = [&](double e, int k) { return energy_error<model, by_adjoint>(e, q0, p0, k, data); };
    double coarse = 0.0, fine = 0.0;
    for (int k = 1; k <= 4 * count; k++) {
        coarse += error(step / 2, k) * error(step / 2, k);
        fine += error(step / 4, 2 * k) * error(step / 4, 2 * k);
    }
    expect("order of the energy error", 0.5 * std::log2(coarse / fine), 1.97, 2.03);

    vector q = q0, p = p0;
    leapfrog<model, by_adjoint>(q, p, step, count, data);
    for (double &value : p) value = -value;
    leapfrog<model, by_adjoint>(q, p, step, count, data);
    for (double &value : p) value = -value;
    expect("back to the start: position", largest_difference(q, q0), 1e-12);
    expect("back to the start: momentum", largest_difference(p, p0), 1e-12);

    // The derivative by the step: a tangent through the adjoints.
    double derivative = __ad_tangent<double>(energy_error<model, by_adjoint>, step, 1.0, &ad_const, &q0, &ad_const, &p0, count, &ad_const, &data);
    double h = 1e-5, difference = (error(step + h, count) - error(step - h, count)) / (2.0 * h);
    std::printf("energy error %.6f, its derivative by the step %.8f\n", error(step, count), derivative);
    expect("derivative by the step against a difference", derivative - difference, 1e-7 * (1.0 + std::fabs(difference)));

    // All derivatives at once, by the step, the position and the momentum: an adjoint through the tangents.
    vector qb(n), pb(n);
    double by_step = __ad_adjoint<double>(energy_error<model, by_tangents>, step, &q0, &qb, &p0, &pb, count, &ad_const, &data);
    expect("adjoint and tangent by the step", by_step - derivative, 1e-11 * (1.0 + std::fabs(derivative)));
    const vector dq = {0.3, 1.0, -0.7, 0.4, 0.9}, dp = {-0.5, 0.2, 0.8, -1.0, 0.6};
    double along = std::inner_product(dq.begin(), dq.end(), qb.begin(), 0.0) + std::inner_product(dp.begin(), dp.end(), pb.begin(), 0.0);
    auto moved = [&](double t) { return energy_error<model, by_adjoint>(step, plus(q0, t, dq), plus(p0, t, dp), count, data); };
    expect("derivative by the start against a difference", along - (moved(h) - moved(-h)) / (2.0 * h), 1e-7 * (1.0 + std::fabs(along)));

    // A trajectory keeps the symplectic form.
    std::vector<vector> columns_q, columns_p;
    for (std::size_t j = 0; j < 2 * n; j++) {
        vector qd(n), pd(n);
        (j < n ? qd[j] : pd[j - n]) = 1.0;
        q = q0, p = p0;
        __ad_tangent<void>(leapfrog<model, by_adjoint>, &q, &qd, &p, &pd, &ad_const, step, count, &ad_const, &data);
        columns_q.push_back(qd), columns_p.push_back(pd);
    }
    vector form, kept;
    for (std::size_t i = 0; i < 2 * n; i++)
        for (std::size_t j = 0; j < 2 * n; j++) {
            form.push_back(std::inner_product(columns_q[i].begin(), columns_q[i].end(), columns_p[j].begin(), 0.0) -
                           std::inner_product(columns_p[i].begin(), columns_p[i].end(), columns_q[j].begin(), 0.0));
            kept.push_back(j == i + n ? 1.0 : i == j + n ? -1.0 : 0.0);
        }
    expect("symplectic form", largest_difference(form, kept), 1e-10);
}

// The inverse of a symmetric positive definite matrix, by Gauss and Jordan.
std::vector<vector> inverse(std::vector<vector> a) {
    const std::size_t n = a.size();
    for (std::size_t k = 0; k < n; k++) {
        double pivot = a[k][k];
        a[k][k] = 1.0;
        for (double &value : a[k]) value /= pivot;
        for (std::size_t i = 0; i < n; i++) {
            if (i == k) continue;
            double factor = a[i][k];
            a[i][k] = 0.0;
            for (std::size_t j = 0; j < n; j++) a[i][j] -= factor * a[k][j];
        }
    }
    return a;
}

// Mean of a chain, and its standard error by the means of 50 batches.
struct estimate { double mean, error; };
estimate estimated(const vector &chain) {
    const std::size_t batches = 50, size = chain.size() / batches;
    vector means(batches);
    for (std::size_t b = 0; b < batches; b++)
        means[b] = std::accumulate(chain.begin() + b * size, chain.begin() + (b + 1) * size, 0.0) / size;
    double mean = std::accumulate(means.begin(), means.end(), 0.0) / batches, squares = 0.0;
    for (double m : means) squares += (m - mean) * (m - mean);
    return {mean, std::sqrt(squares / (batches - 1) / batches)};
}

// Samples the posterior of the linear regression, whose mean and covariance are known. The seed is fixed. An estimate may be wrong by 5 of
// its standard errors, which chance exceeds once in 100,000.
void check_samples() {
    using model = linear;
    const observations data = observe(30, false);
    const std::size_t n = data.columns, samples = 10000;
    const double step = 0.1;
    const int count = 12;

    std::vector<vector> information(n, vector(n));
    vector mean(n);
    for (std::size_t i = 0; i < n; i++) information[i][i] = 1.0 / (model::prior * model::prior);
    for (std::size_t row = 0; row < data.outputs.size(); row++)
        for (std::size_t i = 0; i < n; i++)
            for (std::size_t j = 0; j < n; j++)
                information[i][j] += data.inputs[row * n + i] * data.inputs[row * n + j] / (model::noise * model::noise);
    const std::vector<vector> covariance = inverse(information);
    for (std::size_t row = 0; row < data.outputs.size(); row++)
        for (std::size_t i = 0; i < n; i++)
            for (std::size_t j = 0; j < n; j++)
                mean[i] += covariance[i][j] * data.inputs[row * n + j] * data.outputs[row] / (model::noise * model::noise);

    std::mt19937_64 random(20240607);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    vector q(n), p(n), weights;
    std::vector<vector> chains(n), squares(n);
    std::size_t accepted = 0;
    for (std::size_t s = 0; s < samples + 200; s++) {
        for (double &value : p) value = normal(random);
        vector next = q, momentum = p;
        // Steps of random length, so that no trajectory comes back to its start time and again.
        leapfrog<model, by_adjoint>(next, momentum, step * (0.8 + 0.4 * uniform(random)), count, data);
        double weight = std::exp(energy<model>(q, p, data) - energy<model>(next, momentum, data));
        bool accepts = uniform(random) < weight;
        if (accepts) q = next;
        if (s < 200) continue; // on the way to where the posterior has its mass
        accepted += accepts;
        weights.push_back(weight);
        for (std::size_t i = 0; i < n; i++) {
            chains[i].push_back(q[i]);
            squares[i].push_back((q[i] - mean[i]) * (q[i] - mean[i]));
        }
    }
    std::printf("%zu samples, %zu accepted\n", samples, accepted);
    expect("acceptance", double(accepted) / samples, 0.8, 0.999);
    // Where the force is the gradient of the potential, these weights have the mean 1.
    estimate weight = estimated(weights);
    expect("mean of the weights, in standard errors from 1", (weight.mean - 1.0) / weight.error, 5.0);
    for (std::size_t i = 0; i < n; i++) {
        double deviation = std::sqrt(covariance[i][i]);
        estimate m = estimated(chains[i]), v = estimated(squares[i]);
        std::printf("weight %zu: mean %.4f, exact %.4f; variance %.5f, exact %.5f\n", i, m.mean, mean[i], v.mean, covariance[i][i]);
        expect("  mean, in standard errors from the exact one", (m.mean - mean[i]) / m.error, 5.0);
        expect("  variance, in standard errors from the exact one", (v.mean - covariance[i][i]) / v.error, 5.0);
        expect("  standard error of the mean, in standard deviations", m.error / deviation, 0.03);
        expect("  standard error of the variance, in variances", v.error / covariance[i][i], 0.05);
    }
}

int main() {
    check_trajectory();
    check_samples();
    std::puts(is_right ? "right" : "WRONG");
    return is_right ? 0 : 1;
}
