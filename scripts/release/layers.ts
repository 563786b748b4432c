import { join } from 'node:path';

/** What the bundler knows of a module. */
type ModuleOf = (id: string) => { readonly importedIds: readonly string[] } | null;

/**
 * Puts what a server loads at its start into few files: each costs a search in folders. A thread must not load what only
 * others need, so that there is a layer for each kind of thread. A layer has all that its modules import, but for what
 * is in the layers before it: so none needs a later one.
 *
 * @returns the name of the layer of a module; null for what no thread needs, or no server at its start
 */
export function layersOf(root: string, layers: Readonly<Record<string, readonly string[]>>) {
  let known: Map<string, string> | undefined;
  return (id: string, moduleOf: ModuleOf): string | null => {
    known ??= placed(moduleOf);
    return known.get(id) ?? null;
  };

  function placed(moduleOf: ModuleOf): Map<string, string> {
    const atStart = imported(moduleOf, [join(root, 'server/src/app/start.ts')]);
    const layerOf = new Map<string, string>();
    for (const [name, entries] of Object.entries(layers))
      for (const id of imported(
        moduleOf,
        entries.map((file) => join(root, file)),
      ))
        if (atStart.has(id) && !layerOf.has(id)) layerOf.set(id, name);
    return layerOf;
  }
}

/** The modules and all that they import, other than by a call. */
function imported(moduleOf: ModuleOf, ids: readonly string[]): Set<string> {
  const found = new Set(ids);
  for (const id of found) for (const next of moduleOf(id)?.importedIds ?? []) found.add(next);
  return found;
}
