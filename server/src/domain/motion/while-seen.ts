import { accessDenied } from '../../refusals.ts';

/** Passes chunks on while the caller may see what they hold; what follows is cut off, and the connection with it. */
export async function* whileSeen(
  chunks: AsyncIterable<string>,
  isStillSeen: () => Promise<boolean>,
): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    if (!(await isStillSeen())) throw accessDenied();
    yield chunk;
  }
}
