/* A struct by value is no argument or result of a head, active or in memory.
 * ad-option: -ad-tangent=part($0)/($1)
 * ad-option: -ad-adjoint=part
 * ad-option: -ad-tangent=large($0)/($2)
 * ad-option: -ad-tangent=both
 * ad-option: -ad-adjoint=returned($2)/($3)
 * ad-error: AD016 - argument 1 of 'part' is a struct, vector or complex number by value: heads (-ad-tangent, -ad-adjoint) do not support this
 * ad-error: AD016 - argument 1 of 'large' is a struct, vector or complex number by value: heads (-ad-tangent, -ad-adjoint) do not support this
 * ad-error: AD016 - 'both' returns a struct, vector or complex number by value: heads (-ad-tangent, -ad-adjoint) do not support this
 * ad-error: AD016 - 'returned' returns a struct, vector or complex number by value: heads (-ad-tangent, -ad-adjoint) do not support this */
struct pair { double a, b; };
struct three { double a, b, c; };
double part(struct pair p, double x) { return p.a * p.b * x; }
double large(struct three p, double x) { return p.a * p.b * x; }
struct pair both(double x) { return (struct pair){x, x}; }
struct three returned(double *y, double *x) { return *y = *x, (struct three){1, 2, 3}; }
