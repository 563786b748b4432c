import { inflateSync } from 'node:zlib';

/** The texts of a PDF file with standard fonts, page by page. */
export function pdfPages(bytes: Uint8Array): string[][] {
  const file = Buffer.from(bytes).toString('latin1');
  if (!file.startsWith('%PDF-')) throw new Error('This is no PDF file.');
  const streams = [...file.matchAll(/\/Filter \/FlateDecode\n?>>\nstream\n([\s\S]*?)\nendstream/g)];
  const windows = new TextDecoder('windows-1252');
  return streams.map(([, stream]) => {
    const commands = inflateSync(Buffer.from(stream!, 'latin1')).toString('latin1');
    return [...commands.matchAll(/\[([^\]]*)\] TJ/g)].map(([, parts]) =>
      windows.decode(Buffer.from([...parts!.matchAll(/<([0-9a-f]*)>/g)].map(([, hex]) => hex).join(''), 'hex')),
    );
  });
}
