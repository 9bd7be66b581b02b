"""Bundle adjustment, all rows of the sparse Jacobian: both rows of each observation, for all observations at once."""

import jax
import jax.numpy as jnp
import numpy as np

import peer

case = peer.Case()
n, m, p = case.sizes[:3]
numbers = np.arange(p)
features = jnp.asarray(case.data.reshape(p, 2))


def residual(own, feature):
    rotation, centre, focal, principal, radial = own[:3], own[3:6], own[6], own[7:9], own[9:11]
    v = own[11:14] - centre
    angle = jnp.sqrt(jnp.dot(rotation, rotation))
    axis, c = rotation / angle, jnp.cos(angle)
    turned = c * v + jnp.sin(angle) * jnp.cross(axis, v) + (1.0 - c) * jnp.dot(axis, v) * axis
    seen = turned[:2] / turned[2]
    square = jnp.dot(seen, seen)
    return own[14] * (focal * (1.0 + radial[0] * square + radial[1] * square * square) * seen + principal - feature)


def gather(x):
    cameras, points, weights = x[: 11 * n].reshape(n, 11), x[11 * n : 11 * n + 3 * m].reshape(m, 3), x[11 * n + 3 * m :]
    return jnp.concatenate([cameras[numbers % n], points[numbers % m], weights[:, None]], axis=1), weights


def ba(x):
    own, weights = gather(x)
    return jnp.concatenate([jax.vmap(residual)(own, features).reshape(-1), 1.0 - weights * weights])


def rows(x):
    own, weights = gather(x)
    return ba(x), jnp.concatenate([jax.vmap(jax.jacrev(residual))(own, features).reshape(-1), -2.0 * weights])


peer.run(case, ba, rows)
