/* A singleton of another file owns what objects from before the request observe; messages of what is thrown have active numbers in
 * them. */
#include "../../c/requests.h"
#include "observers.h"

AD_MAP(model)

int main() {
    static Quote *kept = new Quote(1);
    const check_case c = CHECK_MAP(model, 3, 2);
    check_random_points(&c, 4, 0.6, 1.4);
    check_random_points(&c, 4, 0.1, 0.4);
    check_true("observed", kept->updates > 0);
    return check_done();
}
