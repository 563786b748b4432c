import { csvPositions } from './csv.ts';
import { geojsonPositions, googlePositions, owntracksPositions } from './json-formats.ts';
import type { Chunks } from './lines.ts';
import { type HistoryPosition, HistoryProblem } from './position.ts';
import { gpxPositions, kmlPositions } from './tracks.ts';

export const HISTORY_FORMATS = ['gpx', 'kml', 'geojson', 'csv', 'google', 'owntracks'] as const;
export type HistoryFormat = (typeof HISTORY_FORMATS)[number];

export interface ReadHistoryOptions {
  /** By default recognised by the name and the beginning of the file. */
  readonly format?: HistoryFormat;
  readonly name?: string;
  /** The device whose rows are imported from a table of several devices. */
  readonly only?: string;
}

const READERS: Record<HistoryFormat, (chunks: Chunks, only?: string) => AsyncGenerator<HistoryPosition>> = {
  gpx: gpxPositions,
  kml: kmlPositions,
  geojson: geojsonPositions,
  csv: csvPositions,
  google: googlePositions,
  owntracks: owntracksPositions,
};

/** The positions in a file, streamed: memory use does not depend on its length. */
export async function* readHistory(chunks: Chunks, options: ReadHistoryOptions = {}): AsyncGenerator<HistoryPosition> {
  const source = chunks[Symbol.asyncIterator]();
  let begin = '';
  while (begin.length < 4096) {
    const { value, done } = await source.next();
    if (done) break;
    begin += value;
  }
  const format = options.format ?? formatOf(options.name ?? '', begin);
  if (format === undefined) throw new HistoryProblem(1, 'begins a file of no known format.');
  async function* all(): AsyncGenerator<string> {
    yield begin;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  }
  yield* READERS[format](all(), options.only);
}

/** Undefined for an unknown format. */
export function formatOf(name: string, begin: string): HistoryFormat | undefined {
  const text = begin.replace(/^\uFEFF/, '').trimStart();
  const ending = /\.(\w+)$/.exec(name.toLowerCase())?.[1];
  if (ending === 'rec') return 'owntracks';
  if (text.startsWith('<')) return /<kml[\s>]/i.test(text) || ending === 'kml' ? 'kml' : 'gpx';
  if (text.startsWith('{') || text.startsWith('[')) {
    if (ending === 'geojson' || /"FeatureCollection"/.test(text)) return 'geojson';
    return 'google';
  }
  if (/^\d{4}-\d\d-\d\dT[\d:]+Z\t/.test(text)) return 'owntracks';
  return text === '' ? undefined : 'csv';
}
