#!/bin/sh
# Rebuilds the lockfile in an empty folder, so that it contains the packages of every platform and no registry.
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for file in package.json .npmrc */package.json; do
  case $file in oracle/*|node_modules/*) continue ;; esac
  mkdir -p "$folder/$(dirname "$file")"
  cp "$file" "$folder/$file"
done
(cd "$folder" && npm install --package-lock-only --ignore-scripts --no-audit --no-fund)
cp "$folder/package-lock.json" package-lock.json
if grep -n '"resolved": "http' package-lock.json; then echo 'The lockfile names a registry.' >&2; exit 1; fi
