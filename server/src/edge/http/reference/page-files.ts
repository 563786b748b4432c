import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../pages/reference');

/** Scripts and styles of the reference. The folder name changes with their content, so browsers can cache them. */
export class PageFiles {
  readonly folder: string;
  readonly #paths: ReadonlyMap<string, string>;

  constructor() {
    const names = globSync('*.{js,css}', { cwd: FOLDER }).sort();
    const hash = createHash('sha256');
    for (const name of names) hash.update(name).update(readFileSync(join(FOLDER, name)));
    this.folder = `/docs/files/${hash.digest('hex').slice(0, 12)}`;
    this.#paths = new Map(names.map((name) => [name, join(FOLDER, name)]));
  }

  pathOf(name: string): string | undefined {
    return this.#paths.get(name);
  }
}
