"""Burgers' equation, as codes/burgers.c."""

import jax
import jax.numpy as jnp

import peer

case = peer.Case()
n, pairs = case.sizes[:2]


def burgers(x):
    def step(u, _):
        inner, left, right = u[1:-1], u[:-2], u[2:]
        new = inner - x[0] * inner * (right - left) + x[1] * (right - 2.0 * inner + left)
        return jnp.concatenate([u[:1], new, u[-1:]]), None

    return jax.lax.scan(step, x[2:], None, length=2 * pairs)[0]


peer.run(case, burgers)
