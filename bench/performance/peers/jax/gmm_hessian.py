"""The Hessian of the Gaussian mixture, by jax.hessian."""

import jax
import jax.numpy as jnp
import numpy as np

import peer
from gmm import case, gmm

x, hessian = jnp.asarray(case.x), jax.jit(jax.hessian(gmm))
print(f"time primal {peer.median(jax.jit(gmm), x):.9e}")
print(f"time hessian {peer.median(hessian, x):.9e}")
np.asarray(hessian(x), dtype=np.float64).tofile(peer.prefix() + ".peer")
