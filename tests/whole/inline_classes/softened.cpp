// A class of this file alone, derived from one of the header.
#include "laws.h"

namespace {
struct Softened : Hardening<2> {
    double stress(double strain) const override { return Hardening<2>::stress(strain) * std::exp(-strain); }
};
} // namespace

thread_local double Trace::last = 0.0;

std::unique_ptr<Law> softened(double scale) {
    auto law = std::make_unique<Softened>();
    law->scale = scale;
    return law;
}
