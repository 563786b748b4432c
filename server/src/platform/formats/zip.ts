import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

export interface ZippedFile {
  readonly name: string;
  /** Called when its turn comes, and read at the speed of the reader. */
  chunks(): AsyncIterable<string>;
}

/**
 * Streams a ZIP archive: one file after the other, of any length. A failure in a file ends the archive before its
 * directory, so that it cannot be mistaken for a complete one.
 */
export function zipOf(files: Iterable<ZippedFile>, at: Date): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const fail = (error: Error) => output.destroy(error);
  zip.on('error', fail);
  let current: Readable | undefined;
  // A disconnected reader ends the current source.
  output.once('close', () => current?.destroy());
  for (const { name, chunks } of files)
    zip.addReadStreamLazy(name, { mtime: at, mode: 0o100600 }, (given) => {
      const file = Readable.from(nonEmpty(chunks()), { objectMode: false });
      file.on('error', fail);
      current = file;
      given(null, file);
    });
  zip.end();
  return output;
}

/** A byte stream treats an empty chunk as its end. */
async function* nonEmpty(chunks: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) if (chunk !== '') yield Buffer.from(chunk);
}
