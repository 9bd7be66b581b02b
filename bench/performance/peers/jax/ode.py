"""Explicit Runge-Kutta steps, as codes/ode.c."""

import jax
import jax.numpy as jnp

import peer

case = peer.Case()
cells, steps = case.sizes[:2]
dt = float(case.data[0])


def ode(x):
    def rate(state):
        u, v = state
        beside = jnp.pad(state, ((0, 0), (1, 1)), mode="edge")
        diffusion = beside[:, :-2] - 2.0 * state + beside[:, 2:]
        reaction = u * u * v
        return jnp.stack([x[0] - (x[1] + 1.0) * u + reaction + x[2] * diffusion[0], x[1] * u - reaction + x[3] * diffusion[1]])

    def step(state, _):
        k1 = rate(state)
        k2 = rate(state + 0.5 * dt * k1)
        k3 = rate(state + 0.5 * dt * k2)
        k4 = rate(state + dt * k3)
        return state + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), None

    return jax.lax.scan(step, x[4:].reshape(2, cells), None, length=steps)[0].reshape(-1)


peer.run(case, ode)
