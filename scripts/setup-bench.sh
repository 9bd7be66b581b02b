#!/usr/bin/env bash
# Installs the tools that the benchmark compares with: ADOL-C from Debian's packages, JAX from Python's package index into target/bench-venv. What cannot be
# installed is said in one line, and the benchmark leaves it out. Does nothing where everything is present.
set -uo pipefail

venv=target/bench-venv
skip() { echo "setup-bench: $1 is left out: $2" >&2; }

# The command that makes an apt package present; needs root or sudo.
install_package() {
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || return 1
        as_root=(sudo)
    fi
    export DEBIAN_FRONTEND=noninteractive
    "${as_root[@]}" apt-get update -q && "${as_root[@]}" apt-get install -q -y --no-install-recommends "$1"
}

dpkg-query -W -f='${Status}' libadolc-dev 2>/dev/null | grep -q 'ok installed' \
    || install_package libadolc-dev || skip ADOL-C "apt-get install libadolc-dev fails"

if ! "$venv/bin/python" -c 'import jax, numpy' 2>/dev/null; then
    if ! python3 -m venv "$venv"; then
        skip JAX "python3 -m venv fails (Debian's package is python3-venv)"
    elif ! "$venv/bin/pip" install -q jax numpy; then
        skip JAX "pip install jax fails"
    fi
fi
exit 0
