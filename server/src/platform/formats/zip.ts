import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

export interface ZippedFile {
  readonly name: string;
  /** Asked for when its turn comes, and taken as fast as the reader reads. */
  chunks(): AsyncIterable<string>;
}

/**
 * The bytes of a ZIP archive, made while they are read: one file after the other, of any length. What fails in a file
 * ends the archive before its directory is written, so nobody takes it for a whole one.
 */
export function zipOf(files: Iterable<ZippedFile>, at: Date): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const fail = (error: Error) => output.destroy(error);
  zip.on('error', fail);
  let current: Readable | undefined;
  // A reader that goes away ends what is being read.
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

/** A stream of bytes takes an empty chunk for its end. */
async function* nonEmpty(chunks: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) if (chunk !== '') yield Buffer.from(chunk);
}
