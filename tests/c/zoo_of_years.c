/* Dates weight data: what the C library knows of time has no derivative. What one call
 * has stored, the next one overwrites. */
#include "requests.h"
#include <time.h>

static double dated(const double *x) {
    double sum = 0;
    struct tm date, begin;
    for (int i = 0; i < 3; i++) {
        time_t later = 86400L * 365 * i + 1000, first = 0;
        gmtime_r(&later, &date);
        double weight = date.tm_year - 69;
        gmtime_r(&first, &begin);
        begin.tm_mday += i;
        char text[20];
        size_t digits = strftime(text, sizeof text, "%Y", &begin);
        sum += weight * x[i] * x[0] + date.tm_year * x[1] * x[1] / 70 + digits * sum * x[2];
    }
    return sum;
}
// In the library's own memory.
static double of_library(const double *x) {
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        time_t later = 86400L * 365 * i + 1000;
        struct tm *date = gmtime(&later);
        sum += (date->tm_year - 69) * x[i] * x[0] + date->tm_year * x[1] * sum * x[2] / 70;
    }
    return sum;
}
AD_FUNCTIONAL(dated)
AD_FUNCTIONAL(of_library)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(dated, 3), CHECK_FUNCTIONAL(of_library, 3)};
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 3, 0.2, 0.9);
    return check_done();
}
