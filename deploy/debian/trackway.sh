#!/bin/sh
# Less memory: few pools of the C library for many threads, large blocks given back at once, little space for new objects.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}" MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-131072}"
exec /usr/lib/trackway/node --max-semi-space-size=8 /usr/lib/trackway/cli/src/main.js "$@"
