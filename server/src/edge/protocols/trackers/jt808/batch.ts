import type { RecordDraft } from '../record/draft.ts';
import { read } from '../record/draft.ts';
import type { TrackerMemory, TrackerSession } from '../tracker.ts';
import type { Jt808Frame } from './frame.ts';
import { locationOf } from './location.ts';

export interface Batch {
  readonly records: readonly RecordDraft[];
  readonly remember?: TrackerMemory;
  readonly problem?: string;
}

/** What of a batch in parts is left for its next part. */
const NEXT = 'nextPart';
const REST = 'partRest';
const IS_BUFFERED = 'partIsBuffered';

/**
 * 0704: count 2, kind 1 (1: kept while there was no network), then (length 2, body of 0200). A batch may come in parts
 * that are cut anywhere: each gives the locations that are whole with it, so that its answer loses at most one.
 */
export function batchOf({ body, part, serial }: Jt808Frame, session: TrackerSession): Batch {
  const { memory } = session;
  const isFirst = part === undefined || part.number === 1;
  if (!isFirst && memory[NEXT] !== `${serial}/${part.number}`)
    return { records: [], problem: 'A part of a batch without the part before it.' };
  if (isFirst && body.length < 3) return { records: [], problem: 'The batch is too short.' };
  const isBuffered = isFirst ? body[2]! > 0 : memory[IS_BUFFERED] === true;
  const bytes = isFirst ? body.subarray(3) : Buffer.concat([Buffer.from(String(memory[REST] ?? ''), 'hex'), body]);
  const { records, rest } = locationsOf(bytes, 2, session);
  if (isBuffered) for (const record of records) read(record, 'buffered', true);
  if (part === undefined || part.number >= part.total)
    return rest.length === 0 ? { records } : { records, problem: 'The last location of the batch is not whole.' };
  return {
    records,
    remember: {
      [NEXT]: `${(serial + 1) & 0xffff}/${part.number + 1}`,
      [REST]: rest.toString('hex'),
      [IS_BUFFERED]: isBuffered,
    },
  };
}

/** 0210: (length 1, body of 0200). */
export function shortBatchOf({ body }: Jt808Frame, session: TrackerSession): Batch {
  const { records, rest } = locationsOf(body, 1, session);
  return rest.length === 0 ? { records } : { records, problem: 'The last location of the batch is not whole.' };
}

function locationsOf(
  bytes: Buffer,
  lengthBytes: 1 | 2,
  session: TrackerSession,
): { records: RecordDraft[]; rest: Buffer } {
  const records: RecordDraft[] = [];
  let at = 0;
  while (at + lengthBytes <= bytes.length) {
    const end = at + lengthBytes + bytes.readUIntBE(at, lengthBytes);
    if (end > bytes.length) break;
    const record = locationOf(bytes.subarray(at + lengthBytes, end), session);
    if (record) records.push(record);
    at = end;
  }
  return { records, rest: bytes.subarray(at) };
}
