/* See text.c. */
double lib_round_trip(double x);
double lib_scanned(double x);
double lib_listed(double x);
double lib_by_character(double x);
void lib_write(char *text, int n, double x);
double lib_read(const char *text);
double lib_logged(double x);
double lib_configured(double x);
