// Calls virtual functions of classes of which it makes no object.
#include "laws.h"

double energy(const Laws &laws, const double *strains, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        Trace::last = laws[i % laws.size()]->stress(strains[i]) * strains[i];
        sum += gain() * Trace::last;
    }
    return sum + Trace::last;
}
