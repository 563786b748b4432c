import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argumentTypes, catalogsOf } from '../contract/src/messages/generate.ts';
import { LANGUAGES } from '../contract/src/wording/languages.ts';
import { main, ROOT } from './step.ts';

/** Writes the types of the messages, and the list of catalogs. */
await main(async () => {
  const folder = join(ROOT, 'contract/src/messages/generated');
  mkdirSync(folder, { recursive: true });
  const english = JSON.parse(readFileSync(join(ROOT, 'messages/en.json'), 'utf8'));
  writeFileSync(join(folder, 'arguments.ts'), argumentTypes(english));
  writeFileSync(join(folder, 'catalogs.ts'), catalogsOf(LANGUAGES));
});
