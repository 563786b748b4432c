import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a source names: imports, dynamic imports, and the modules of threads. */
const NAMED =
  /(?:from |import |import\()'(?<imported>[^']+\.ts)'|new URL\('(?<thread>\.[^']+\.ts)', import\.meta\.url\)/g;

const PACKAGE = /^@trackway\/(?<name>[a-z]+)\/(?<file>.+)$/;

/** All sources that the entries need, by their paths from the root. Tests and what only tests use is left out. */
export function reachable(root: string, entries: readonly string[]): string[] {
  const found = new Set<string>(entries);
  // A set is walked in the order of insertion, what is added while it is walked included.
  for (const file of found)
    for (const { groups } of readFileSync(join(root, file), 'utf8').matchAll(NAMED)) {
      const name = groups!.imported ?? groups!.thread!;
      const inPackage = PACKAGE.exec(name)?.groups;
      found.add(inPackage ? `${inPackage.name}/src/${inPackage.file}` : join(dirname(file), name));
    }
  return [...found].sort();
}
