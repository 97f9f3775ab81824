#!/usr/bin/env bash
# Installs the Debian packages of tools that tests and benchmarks use, unless their commands are there already:
# install_tool.sh prolog browser curl
set -euo pipefail

install() {  # NAME PACKAGE COMMAND...
    local name=$1 package=$2 command as_root=""
    shift 2
    for command in "$@"; do
        if command -v "$command" >/dev/null; then
            return 0
        fi
    done
    if ! command -v apt-get >/dev/null; then
        echo "error: $name is missing and there is no apt-get; install it by hand so that $1 runs" >&2
        return 1
    fi
    if [ "$(id -u)" -ne 0 ]; then
        as_root="sudo -n"
    fi
    echo "installing $name ..."
    export DEBIAN_FRONTEND=noninteractive
    $as_root apt-get update -qq && $as_root apt-get install -y -qq --no-install-recommends "$package"
}

for tool in "$@"; do
    case $tool in
        # The benchmark and its tests leave Prolog out where there is none.
        prolog) install SWI-Prolog swi-prolog-nox swipl || echo "going on without SWI-Prolog" ;;
        browser) install Chromium chromium chromium chromium-browser || exit 1 ;;
        curl) install curl curl curl || exit 1 ;;
        *) echo "error: $tool is no tool; there are prolog, browser and curl" >&2; exit 1 ;;
    esac
done
