import { Readable } from 'node:stream';

/** A client that reads nothing for this long is disconnected. */
const STALLED_MS = 30_000;

/**
 * Sends chunks on demand: the next one is created only when the connection has room for it. A client that stops reading
 * is disconnected after a while, to release its resources. The end of the stream always ends the iterator.
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
    // Room for one chunk of any length; the next is requested when it was sent.
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
