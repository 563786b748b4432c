#!/bin/sh
# Less memory: few pools of the C library for many threads, and large blocks are released at once.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}" MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-131072}"
exec /usr/lib/trackway/node /usr/lib/trackway/cli/src/main.js "$@"
