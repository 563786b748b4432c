import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiFiles } from '../server/src/edge/http/reference/api-markdown.ts';
import { main, ROOT } from './step.ts';

/** Writes the API reference as Markdown, from the contract. */
await main(async () => {
  const folder = join(ROOT, 'docs/api');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, text] of apiFiles()) writeFileSync(join(folder, name), text);
  console.log(`${apiFiles().size} files in ${folder}`);
});
