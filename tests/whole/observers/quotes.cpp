#include "observers.h"
#include <sstream>
#include <stdexcept>

Quote::Quote(double v) : value(v) { Settings::get().subject->observers.insert(this); }
Quote::~Quote() { Settings::get().subject->observers.erase(this); }
void Quote::update() { updates++; }

double Quote::checked(double least) const {
    if (value < least) {
        std::ostringstream message;
        message << "quote " << value << " below " << least;
        throw std::domain_error(message.str());
    }
    return value;
}
