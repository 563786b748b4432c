#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// With the compile cache, the sources load in a fifth of the time from the second start on.
enableCompileCache();
const { run } = await import('./commands.ts');
process.exitCode = await run(process.argv.slice(2));
