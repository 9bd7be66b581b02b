//! Adjoints of functions that gcc compiled, at several flags: values bit for bit, derivatives against the tangent and differences, and what must not happen.

mod recording {
    mod compiled;
    mod functions;
    mod limits;
    mod segments;
    mod shapes;
    mod statements;
}
