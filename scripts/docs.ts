import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { schemaMarkdown } from '../server/src/domain/schema/schema-markdown.ts';
import { apiFiles } from '../server/src/edge/http/reference/api-markdown.ts';
import { main, ROOT } from './step.ts';

/** Writes the API reference into docs/api of a folder, and docs/develop/schema.md: `docs.ts [folder]`. A release contains them. */
await main(async () => {
  const folder = join(resolve(process.argv[2] ?? ROOT), 'docs/api');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of apiFiles()) writeFileSync(join(folder, name), text);
  mkdirSync(join(folder, '../develop'), { recursive: true });
  writeFileSync(join(folder, '../develop/schema.md'), schemaMarkdown());
  console.log(`${apiFiles().size} files in ${folder}`);
});
