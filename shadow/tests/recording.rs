//! Adjoints of functions that gcc compiled, at several flags: values bit for bit, derivatives
//! against the tangent and differences, and what must not happen.

mod recording {
    mod compiled;
    mod functions;
    mod limits;
    mod segments;
    // Code for x86-64 alone.
    #[cfg(target_arch = "x86_64")]
    mod shapes;
    #[cfg(target_arch = "x86_64")]
    mod statements;
}
