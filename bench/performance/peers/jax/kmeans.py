"""K-means, as codes/kmeans.c: a row of distances at a time, which XLA may fuse."""

import jax.numpy as jnp

import peer

case = peer.Case()
n, k, d = case.sizes[:3]
points = jnp.asarray(case.data.reshape(n, d))


def kmeans(x):
    difference = points[:, None, :] - x.reshape(k, d)[None, :, :]
    return jnp.sum(jnp.min(jnp.sum(difference * difference, axis=2), axis=1))


peer.run(case, kmeans)
