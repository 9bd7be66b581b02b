"""LSTM, as bench/objectives/lstm.c."""

import jax
import jax.numpy as jnp

import peer

case = peer.Case()
l, c, b = case.sizes[:3]
start = jnp.asarray(case.data[: 2 * l * b].reshape(l, 2, b))
sequence = jnp.asarray(case.data[2 * l * b :].reshape(c, b))


def lstm(x):
    main, extra = x[: 8 * l * b].reshape(l, 2, 4, b), x[8 * l * b :].reshape(3, b)

    def character(state, step):
        now, target = step
        value, new = now * extra[0], []
        for i in range(l):
            weight, bias = main[i]
            hidden, cell = state[i]
            forget = jax.nn.sigmoid(value * weight[0] + bias[0])
            into = jax.nn.sigmoid(hidden * weight[1] + bias[1])
            out = jax.nn.sigmoid(value * weight[2] + bias[2])
            change = jnp.tanh(hidden * weight[3] + bias[3])
            cell = cell * forget + into * change
            value = out * jnp.tanh(cell)
            new.append(jnp.stack([value, cell]))
        y = value * extra[1] + extra[2]
        return jnp.stack(new), jnp.sum(target * (y - jnp.log(2.0 + jnp.sum(jnp.exp(y)))))

    terms = jax.lax.scan(character, start, (sequence[:-1], sequence[1:]))[1]
    return -jnp.sum(terms) / ((c - 1) * b)


peer.run(case, lstm)
