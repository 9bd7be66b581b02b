extern double held_again[3], held_weakly[3];
double keep_again(double x);

double late(double x) {
    held_weakly[1] = x * held_again[0];
    return keep_again(x) + held_again[1] * held_weakly[0];
}
