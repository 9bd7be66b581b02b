"""Linear least squares, as codes/least_squares.c."""

import jax.numpy as jnp

import peer

case = peer.Case()
m, n = case.sizes[:2]
a, b = jnp.asarray(case.data[: m * n].reshape(n, m)), jnp.asarray(case.data[m * n :])


def least_squares(x):
    residual = x @ a - b
    return 0.5 * jnp.dot(residual, residual)


peer.run(case, least_squares)
