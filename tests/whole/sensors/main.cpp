/* A singleton with sensors from before the request, in a map that is a member: its nodes lead back into the variable. It logs what
 * happens, and the end of the tank is an exception that is caught. */
#include "../../c/requests.h"
#include "tank.h"

AD_FUNCTIONAL(drain)

int main() {
    Registry::get().add("first", std::make_shared<Peak>());
    const check_case c = CHECK_FUNCTIONAL(drain, 3);
    const double calm[] = {1.5, 0.8, 0.02}, empty[] = {1.5, 0.8, 0.6};
    check_at(&c, calm);
    check_at(&c, empty);
    return check_done();
}
