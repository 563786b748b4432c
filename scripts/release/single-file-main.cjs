// Main script of the single file: unpacks the server once for each user and version, and runs it from there.
'use strict';

const { mkdirSync, lstatSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { homedir, tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const { getAsset, getRawAsset } = require('node:sea');
const { zstdDecompressSync } = require('node:zlib');

/** What is unpacked is executed, so no other user may write there. */
function ownFolder(/** @type {string} */ folder) {
  try {
    mkdirSync(folder, { mode: 0o700, recursive: true });
    const { uid, mode } = lstatSync(folder);
    return uid === process.getuid?.() && (mode & 0o022) === 0;
  } catch {
    return false;
  }
}

const isThere = (/** @type {string} */ folder) => lstatSync(folder, { throwIfNoEntry: false }) !== undefined;

const places = [
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'trackway'),
  join(tmpdir(), `trackway-${process.getuid?.()}`),
];
const place = places.find(ownFolder);
if (place === undefined) {
  console.error(
    `Trackway cannot unpack itself: neither ${places.join(' nor ')} is a folder that only you can write to.`,
  );
  process.exit(1);
}
const folder = join(place, getAsset('id', 'utf8'));
if (!isThere(folder)) unpack(`${folder}-${process.pid}`, folder);
createRequire(join(folder, 'package.json'))('./cli/src/main.js');

/** Another process may unpack at the same time: the folder appears as a whole. */
function unpack(/** @type {string} */ unfinished, /** @type {string} */ finished) {
  const files = zstdDecompressSync(new Uint8Array(getRawAsset('files')));
  let at = 0;
  for (const { path, size } of JSON.parse(getAsset('index', 'utf8'))) {
    const file = join(unfinished, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, files.subarray(at, at + size));
    at += size;
  }
  try {
    renameSync(unfinished, finished);
  } catch (error) {
    if (!isThere(finished)) throw error;
    rmSync(unfinished, { recursive: true });
  }
}
