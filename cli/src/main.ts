#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Compiled once, the sources load in a fifth of the time at the next start.
enableCompileCache();
const { run } = await import('./commands.ts');
process.exitCode = await run(process.argv.slice(2));
