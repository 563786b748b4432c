#!/usr/bin/env node
import { useCompileCache } from './compile-cache.ts';

useCompileCache();
const { run } = await import('./commands.ts');
process.exitCode = await run(process.argv.slice(2));
