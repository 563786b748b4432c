#!/bin/sh
exec /usr/lib/trackway/node /usr/lib/trackway/cli/src/main.js "$@"
