/* See text.c. */
double lib_round_trip(double x);
double lib_scanned(double x);
double lib_listed(double x);
double lib_by_character(double x);
void lib_write(char *text, int n, double x);
double lib_read(const char *text);
double lib_logged(double x);
double lib_configured(double x);
#include <stdio.h>
void lib_parse(const char *text, double *y);
void lib_keep(const char *text);
double lib_kept(void);
const char *lib_text(void);
extern char lib_shared_text[64];
double lib_shared(void);
FILE *lib_open(void);
double lib_close(void);
void lib_label(const char *label, double x);
