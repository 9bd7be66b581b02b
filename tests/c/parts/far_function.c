/* Functions that the differentiated file knows by their declarations only. */
double far_function(double t) { return t + 2.0; }
double (*far_pointer(void))(double) { return far_function; }
double unknown_effect(double t) { return 3.0 * t; }
