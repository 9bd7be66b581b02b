"""Gaussian mixture, as bench/objectives/gmm.c, with matrices for the triangles."""

import math

import jax.numpy as jnp
import numpy as np
from jax.scipy.special import logsumexp

import peer

case = peer.Case()
d, k, n, m = case.sizes[:4]
points, gamma = jnp.asarray(case.data[:-1].reshape(n, d)), float(case.data[-1])
stride = d * (d + 1) // 2
columns, rows = np.triu_indices(d, 1)  # column by column of the lower triangle
freedom = d + m + 1
log_gamma = 0.25 * d * (d - 1) * math.log(math.pi) + sum(math.lgamma(0.5 * freedom + 0.5 * (1 - j)) for j in range(1, d + 1))
constant = freedom * d * (math.log(gamma) - 0.5 * math.log(2.0)) - log_gamma


def gmm(x):
    alphas, means, icf = x[:k], x[k : k + k * d].reshape(k, d), x[k + k * d :].reshape(k, stride)
    logarithms, lower = icf[:, :d], icf[:, d:]
    diagonals, sums = jnp.exp(logarithms), jnp.sum(logarithms, axis=1)
    triangles = jnp.zeros((k, d, d)).at[:, rows, columns].set(lower)
    centred = points[:, None, :] - means[None, :, :]
    mapped = diagonals * centred + jnp.einsum("kij,nkj->nki", triangles, centred)
    terms = alphas + sums - 0.5 * jnp.sum(mapped * mapped, axis=2)
    wishart = 0.5 * gamma**2 * (jnp.sum(diagonals**2) + jnp.sum(lower**2)) - m * jnp.sum(sums) - k * constant
    return jnp.sum(logsumexp(terms, axis=1)) - n * logsumexp(alphas) - 0.5 * n * d * math.log(2.0 * math.pi) + wishart


if __name__ == "__main__":
    peer.run(case, gmm)
