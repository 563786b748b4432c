#!/usr/bin/env node
import { useCompileCache } from './compile-cache.ts';

useCompileCache();
// Without an `await` at the top level, so that the single file of a release can load this module by `require`.
void import('./commands.ts').then(async ({ run }) => {
  process.exitCode = await run(process.argv.slice(2));
});
