#include "observers.h"
#include <ctime>

void Subject::tell() {
    for (Observer *o : observers) o->update();
}
Settings &Settings::get() {
    static Settings one;
    return one;
}
long Settings::today() const {
    if (date) return date;
    time_t now;
    time(&now);
    return localtime(&now)->tm_yday;
}
