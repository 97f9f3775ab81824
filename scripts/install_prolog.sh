#!/usr/bin/env bash
# Installs SWI-Prolog, which the benchmark compares with; does nothing where it is installed.
set -euo pipefail
if command -v swipl >/dev/null; then
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "error: SWI-Prolog is missing and there is no apt-get; install it by hand so that swipl runs" >&2
    exit 1
fi
as_root=""
if [ "$(id -u)" -ne 0 ]; then
    as_root="sudo -n"
fi
echo "installing SWI-Prolog, which the benchmark compares with ..."
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
$as_root apt-get install -y -qq --no-install-recommends swi-prolog-nox
