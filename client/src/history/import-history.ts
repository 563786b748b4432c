import type { AnswerOf } from '@trackway/contract/operations.ts';
import { MOST_IMPORTED_AT_ONCE } from '@trackway/contract/resources/fleet-tools/history-import.ts';
import type { Client } from '../client.ts';
import { type ReadHistoryOptions, readHistory } from './formats.ts';
import type { Chunks } from './lines.ts';
import { positionCells } from './position.ts';

export type HistoryImport = AnswerOf<'getHistoryImport'>;

export interface ImportHistoryOptions extends ReadHistoryOptions {
  /** The id of an interrupted import: positions that it has received are not sent again. */
  readonly resume?: number;
  readonly onProgress?: (imported: HistoryImport) => void;
  readonly signal?: AbortSignal;
}

/** Servers accept bodies of 100 kB by default. */
const MOST_CHARACTERS = 80_000;

/**
 * Imports a file of positions into a device: reads it, sends its positions and ends the import. After a failure the
 * import stays open, so that it can be resumed with the same file.
 */
export async function importHistory(
  client: Pick<Client, 'createHistoryImport' | 'getHistoryImport' | 'addImportedPoints' | 'endHistoryImport'>,
  deviceId: number,
  chunks: Chunks,
  options: ImportHistoryOptions = {},
): Promise<HistoryImport> {
  const { resume, onProgress, signal, name, format } = options;
  const id = deviceId;
  let current =
    resume === undefined
      ? await client.createHistoryImport({ id, body: { ...(name && { name }), ...(format && { format }) } })
      : await client.getHistoryImport({ id, fk: resume });
  onProgress?.(current);
  const fk = current.id;
  let first = 0;
  let cells: (readonly (number | null)[])[] = [];
  let characters = 0;
  const send = async () => {
    if (first + cells.length > current.received) {
      signal?.throwIfAborted();
      current = await client.addImportedPoints({ id, fk, body: { first, points: cells } }, { signal });
      onProgress?.(current);
    }
    first += cells.length;
    cells = [];
    characters = 0;
  };
  for await (const position of readHistory(chunks, options)) {
    const one = positionCells(position);
    cells.push(one);
    characters += JSON.stringify(one).length + 1;
    if (cells.length === MOST_IMPORTED_AT_ONCE || characters > MOST_CHARACTERS) await send();
  }
  if (cells.length > 0) await send();
  current = await client.endHistoryImport({ id, fk });
  onProgress?.(current);
  return current;
}
