import { Readable } from 'node:stream';

/** A reader that takes nothing for this long is disconnected. */
const STALLED_MS = 30_000;

/**
 * Sends chunks as they are taken: the next one is made only when the connection has room for it. A reader that stops
 * reading is disconnected after a while, so that it holds nothing for ever. Whatever ends the stream ends the chunks.
 */
export function readableOf(chunks: AsyncIterable<string | Uint8Array>, stalledMs = STALLED_MS): Readable {
  const source = chunks[Symbol.asyncIterator]();
  let stalled: NodeJS.Timeout | undefined;

  async function next(readable: Readable): Promise<void> {
    clearTimeout(stalled);
    try {
      const { done, value } = await source.next();
      if (readable.destroyed) return;
      if (done) {
        readable.push(null);
        return;
      }
      stalled = setTimeout(() => readable.destroy(new Error('The reader stopped reading.')), stalledMs).unref();
      readable.push(value);
    } catch (error) {
      readable.destroy(error as Error);
    }
  }

  return new Readable({
    // Room for one chunk, whatever its length: another is asked for once that is taken.
    highWaterMark: 1,
    read() {
      void next(this);
    },
    destroy(error, callback) {
      clearTimeout(stalled);
      Promise.resolve(source.return?.()).then(
        () => callback(error),
        () => callback(error),
      );
    },
  });
}
