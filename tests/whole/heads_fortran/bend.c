double bend(double v) { return v / (1.0 + v * v); }
