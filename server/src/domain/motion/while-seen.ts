import { accessDenied } from '../../refusals.ts';

/**
 * The chunks of an answer that is read slowly, each only while its reader may still see the device. Not a generator: one
 * that is ended before it began would not end the chunks.
 */
export function whileSeen(
  chunks: AsyncIterable<string>,
  isStillSeen: () => Promise<boolean>,
): AsyncIterableIterator<string> {
  const source = chunks[Symbol.asyncIterator]();
  const end = async () => {
    await source.return?.();
  };
  return {
    async next() {
      const chunk = await source.next();
      if (chunk.done || (await isStillSeen())) return chunk;
      await end();
      throw accessDenied();
    },
    async return() {
      await end();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
