double by_raise(double x);
double by_fault(double x);
double by_stream(double x);
double by_opened(double x);
double by_plain_signals(double x);
