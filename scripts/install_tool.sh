#!/usr/bin/env bash
# Installs a Debian package, unless one of its commands is there already: install_tool.sh NAME PACKAGE COMMAND...
set -euo pipefail
name=$1
package=$2
shift 2
for command in "$@"; do
    if command -v "$command" >/dev/null; then
        exit 0
    fi
done
if ! command -v apt-get >/dev/null; then
    echo "error: $name is missing and there is no apt-get; install it by hand so that $1 runs" >&2
    exit 1
fi
as_root=""
if [ "$(id -u)" -ne 0 ]; then
    as_root="sudo -n"
fi
echo "installing $name ..."
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
$as_root apt-get install -y -qq --no-install-recommends "$package"
