"""What the programs for JAX share. Arguments: PREFIX SECONDS RUNS; PREFIX.in was left by the case's own program (bench.h),
PREFIX.peer receives the derivative. Primal and gradient are compiled before they are timed; times are of the process."""

import sys
import time

import jax
import jax.numpy as jnp
import numpy as np


class Case:
    def __init__(self):
        numbers = np.fromfile(prefix() + ".in")
        data, inputs, outputs = (int(v) for v in numbers[:3])
        self.sizes = [int(v) for v in numbers[3:11]]
        self.data, self.x, self.seed = np.split(numbers[11:], [data, data + inputs])
        assert len(self.seed) == outputs


def prefix():
    return sys.argv[1]


def median(function, argument):
    seconds, runs = float(sys.argv[2]), max(1, int(sys.argv[3]))
    jax.block_until_ready(function(argument))
    start = time.process_time()
    jax.block_until_ready(function(argument))
    one = time.process_time() - start
    repeats = int(seconds / max(one, 1e-7)) + 1 if one < seconds else 1
    times = []
    for _ in range(runs):
        start = time.process_time()
        for _ in range(repeats):
            jax.block_until_ready(function(argument))
        times.append((time.process_time() - start) / repeats)
    return float(np.median(times))


def run(case, code, gradient=None):
    """`code`: the outputs as a function of x. `gradient`: what is to be measured, if not the adjoint of the seed."""
    x, seed = jnp.asarray(case.x), jnp.asarray(case.seed)

    def value_and_adjoint(at):
        y, transpose = jax.vjp(code, at)
        return y, transpose(seed.reshape(y.shape))[0]

    primal = jax.jit(code)
    both = jax.jit(gradient or value_and_adjoint)
    tangent = jax.jit(lambda at: jax.jvp(code, (at,), (at,)))
    print(f"time primal {median(primal, x):.9e}")
    print(f"time tangent {median(tangent, x):.9e}")
    print(f"time gradient {median(both, x):.9e}")
    np.asarray(both(x)[1], dtype=np.float64).tofile(prefix() + ".peer")
