"""Log-sum-exp, as codes/lse.c."""

import jax.numpy as jnp

import peer


def lse(x):
    largest = jnp.max(x)
    return largest + jnp.log(jnp.sum(jnp.exp(x - largest)))


peer.run(peer.Case(), lse)
