import { Turns } from '../platform/turns.ts';
import { busy } from '../refusals.ts';
import { unlessBusy } from './family.ts';

/** A piece of a long text. `After` is where the next one begins. */
export interface TextChunk<After> {
  readonly text: string;
  /** Undefined where nothing is left. */
  readonly after?: After;
}

/** A user has at most two long texts open; a few more wait for them, for a while. */
const TURNS = { atOncePerOwner: 2, capacity: 256, capacityPerOwner: 16, patienceMs: 20_000 };
const AGAIN_S = 5;

/**
 * A long text that is read and written in chunks on a separate thread, each after the reader has taken the previous
 * one, so that a text that is not read needs the memory of one chunk only.
 * @param what a word for the texts, for the error if too many run at once
 */
export function chunkedText<Input extends { readonly after?: After }, After>(
  what: string,
  chunkOf: (input: Input, owner: string) => Promise<TextChunk<After>>,
): (input: Input, owner: string) => Promise<AsyncIterableIterator<string>> {
  const turns = new Turns(TURNS);
  const next = (input: Input, owner: string) => unlessBusy(what, chunkOf(input, owner));

  return async (input, owner) => {
    const done = await turns.take(owner);
    if (done === undefined) throw busy(what, AGAIN_S);
    try {
      // Before anything is answered, so that what is refused can be answered as refused.
      return chunks(await next(input, owner), (after) => next({ ...input, after }, owner), done);
    } catch (error) {
      done();
      throw error;
    }
  };
}

/** Not a generator, since one that is ended before it began would not give its turn back. */
function chunks<After>(
  first: TextChunk<After>,
  following: (after: After) => Promise<TextChunk<After>>,
  done: () => void,
): AsyncIterableIterator<string> {
  let after: After | undefined;
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
