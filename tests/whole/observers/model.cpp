#include "observers.h"
#include <cmath>
#include <exception>

void model(const double *x, double *y) {
    Settings::get().date = 400;
    Quote spot(x[0]), rate(x[1]);
    Settings::get().subject->tell();
    double years = Settings::get().today() / 365.0;
    y[0] = spot.checked(-1) * std::exp(-rate.checked(-1) * years) + spot.updates * x[2];
    try {
        y[1] = rate.checked(0.5) * x[2];
    } catch (const std::exception &) {
        y[1] = x[1] * x[1];
    }
}
