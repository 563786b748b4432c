import type { Store } from '../schema/tables.ts';
import { FORGOTTEN_KINDS, type KeptHistory } from './kept-history.ts';
import { addRemovable, nothingRemovable, previewChunk, type RemovableKinds } from './preview-chunk.ts';

/** What settings would remove of all devices now. @param owner the caller, whose concurrent previews are limited */
export async function previewRetention(
  store: Store,
  { kept, now, owner }: { readonly kept: KeptHistory; readonly now: number; readonly owner: string },
): Promise<RemovableKinds> {
  const read = store.readWork(previewChunk);
  const kinds = nothingRemovable();
  for (let after: number | undefined = 0; after !== undefined; ) {
    const chunk: Awaited<ReturnType<typeof read>> = await read({ kept, now, after }, owner);
    for (const kind of FORGOTTEN_KINDS) kinds[kind] = addRemovable(kinds[kind], chunk.kinds[kind]);
    after = chunk.after;
  }
  return kinds;
}
