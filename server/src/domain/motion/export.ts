import { Turns } from '../../platform/turns.ts';
import { busy } from '../../refusals.ts';
import { unlessBusy } from '../family.ts';
import type { Store } from '../schema/tables.ts';
import { type ExportChunk, exportChunk, type TrackExport } from './export-chunk.ts';

/** A user has at most two exports open; a few more wait for them, for a while. */
const TURNS = { atOncePerOwner: 2, capacity: 256, capacityPerOwner: 16, patienceMs: 20_000 };
const AGAIN_S = 5;

/**
 * Exports the positions of a device as a file. It is read and formatted in chunks on a thread apart, each when the reader
 * has taken the one before, so that an export that nobody reads costs no more than one chunk of memory.
 */
export function trackExports(
  store: Pick<Store, 'readWork'>,
): (track: TrackExport, owner: string) => Promise<AsyncIterableIterator<string>> {
  const chunkOf = store.readWork(exportChunk);
  const turns = new Turns(TURNS);

  const next = (track: TrackExport, owner: string) => unlessBusy('exports', chunkOf(track, owner));

  return async (track, owner) => {
    const done = await turns.take(owner);
    if (done === undefined) throw busy('exports', AGAIN_S);
    try {
      // Before anything is answered, so that what is refused can be answered as refused.
      return chunks(await next(track, owner), (after) => next({ ...track, after }, owner), done);
    } catch (error) {
      done();
      throw error;
    }
  };
}

/** Not a generator, since one that is ended before it began would not give its turn back. */
function chunks(
  first: ExportChunk,
  following: (after: NonNullable<TrackExport['after']>) => Promise<ExportChunk>,
  done: () => void,
): AsyncIterableIterator<string> {
  let after: TrackExport['after'];
  let isBegun = false;
  return {
    async next() {
      if (isBegun && after === undefined) {
        done();
        return { done: true, value: undefined };
      }
      const chunk = isBegun ? await following(after!) : first;
      isBegun = true;
      after = chunk.after;
      return { done: false, value: chunk.text };
    },
    async return() {
      done();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
