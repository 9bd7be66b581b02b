#include "tank.h"
#include <cmath>
#include <iomanip>
#include <sstream>
#include <stdexcept>
Registry &Registry::get() { static Registry one; return one; }
void Registry::add(const std::string &name, std::shared_ptr<Sensor> s) { sensors_[name] = std::move(s); }
void Registry::tell(double level) {
    for (auto &[name, s] : sensors_) {
        s->seen(level);
        log_ << std::setw(8) << name << ' ' << level << '\n';
    }
}

static double checked(double level, int step) {
    if (level < 0.05) {
        std::ostringstream message;
        message << "tank is empty at step " << step << ": " << level;
        throw std::runtime_error(message.str());
    }
    return level;
}
double drain(const double *p) {
    const int steps = 60;
    double h = p[0], area = p[1], total = 0;
    auto peak = std::make_shared<Peak>();
    Registry::get().add("run", peak);
    try {
        for (int i = 0; i < steps; i++) {
            double out = p[2] * std::sqrt(2 * 9.81 * h);
            h = checked(h - 0.01 * out / area, i);
            total += out * 0.01;
            Registry::get().tell(h);
        }
    } catch (const std::runtime_error &e) {
        Registry::get().log() << e.what() << std::endl;
        total += h * area;
    }
    double mean = 0;
    for (double l : peak->all) mean += l / steps;
    return total + 0.1 * mean * peak->peak;
}
