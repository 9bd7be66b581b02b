"""A step of descent over a matrix, as codes/matrix_descent.c."""

import jax.numpy as jnp

import peer

case = peer.Case()
n = case.sizes[0]
vector, right = jnp.asarray(case.data[:n]), jnp.asarray(case.data[n:])


def matrix_descent(w):
    residual = w.reshape(n, n) @ vector - right
    return 0.5 * jnp.dot(residual, residual)


peer.run(case, matrix_descent)
