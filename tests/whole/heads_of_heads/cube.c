double cube(double v) { return v * v * v; }
