#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// With the compile cache, the sources load in a fifth of the time from the second start on. Threads are told of it by
// the environment.
const { directory } = enableCompileCache();
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory;
const { run } = await import('./commands.ts');
process.exitCode = await run(process.argv.slice(2));
