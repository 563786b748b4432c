import { type Chunks, linesOf } from './lines.ts';
import { type HistoryPosition, HistoryProblem, numberIn, timeIn } from './position.ts';

/** Possible names of a column, without punctuation and case. */
const NAMES = {
  time: ['time', 'timestamp', 'fixtime', 'datetime', 'date', 'devicetime', 'gpstime', 'utc'],
  lat: ['lat', 'latitude', 'locationlat'],
  lng: ['lng', 'lon', 'long', 'longitude', 'locationlng'],
  speed: ['speed', 'speedkmh', 'velocity'],
  altitude: ['altitude', 'alt', 'ele', 'elevation', 'altitudem'],
  course: ['course', 'heading', 'bearing', 'direction'],
  accuracy: ['accuracy', 'acc', 'accuracym'],
  battery: ['battery', 'batterypct', 'batterylevel'],
  device: ['deviceid', 'device', 'uniqueid', 'imei'],
} as const;
type Column = keyof typeof NAMES;

const KMH_PER_KNOT = 1.852;

/**
 * A table with one row per position. Tables of Traccar, recognised by their columns `fixTime` and `serverTime`, have
 * speeds in knots; all others in km/h. A table of several devices requires `only`: the device whose rows are imported.
 */
export async function* csvPositions(chunks: Chunks, only?: string): AsyncGenerator<HistoryPosition> {
  let columns: Partial<Record<Column, number>> | undefined;
  let separator = ',';
  let factor = 1;
  let device: string | undefined = only;
  for await (const { number: line, text } of linesOf(chunks)) {
    if (text.trim() === '') continue;
    if (columns === undefined) {
      const head = text.replace(/^\uFEFF/, '');
      separator = [',', ';', '\t'].reduce((best, sign) =>
        head.split(sign).length > head.split(best).length ? sign : best,
      );
      const names = cellsOf(head, separator, line).map((name) => name.toLowerCase().replaceAll(/[^a-z]/g, ''));
      columns = columnsIn(names);
      if (columns.time === undefined || columns.lat === undefined || columns.lng === undefined)
        throw new HistoryProblem(line, 'names no columns for time, latitude and longitude.');
      if (names.includes('fixtime') && names.includes('servertime')) factor = KMH_PER_KNOT;
      continue;
    }
    const cells = cellsOf(text, separator, line);
    const cell = (column: Column) => (columns![column] === undefined ? undefined : cells[columns![column]]);
    const number = (column: Column) => numberIn(cell(column));
    const of = cell('device');
    if (of !== undefined) {
      device ??= of;
      if (of !== device && only !== undefined) continue;
      if (of !== device) throw new HistoryProblem(line, `is of another device, ${of}: specify which one to import.`);
    }
    const [timestamp, lat, lng] = [timeIn(cell('time')), number('lat'), number('lng')];
    if (timestamp === undefined) throw new HistoryProblem(line, `has no time that can be read: ${cell('time') ?? ''}`);
    if (lat === undefined || lng === undefined) continue;
    const speed = number('speed');
    yield {
      ...{ timestamp, lat, lng, speedKmh: speed === undefined ? undefined : speed * factor },
      ...{ altitudeM: number('altitude'), courseDeg: number('course') },
      ...{ accuracyM: number('accuracy') || undefined, batteryPct: number('battery') },
    };
  }
}

function columnsIn(names: readonly string[]): Partial<Record<Column, number>> {
  const found: Partial<Record<Column, number>> = {};
  for (const [column, known] of Object.entries(NAMES) as [Column, readonly string[]][]) {
    const name = known.find((one) => names.includes(one));
    if (name !== undefined) found[column] = names.indexOf(name);
  }
  return found;
}

const MOST_CELLS = 500;

/** Quoted texts may contain separators, but no line breaks. */
function cellsOf(text: string, separator: string, line: number): string[] {
  const cells: string[] = [];
  for (let at = 0; at <= text.length; at++) {
    let cell = '';
    if (text[at] === '"') {
      let end = at;
      do {
        const from = end + 1;
        end = text.indexOf('"', from);
        if (end < 0) throw new HistoryProblem(line, 'has a quotation mark that is never closed.');
        cell += (from > at + 1 ? '"' : '') + text.slice(from, end);
        end++;
      } while (text[end] === '"');
      at = end;
    }
    const next = text.indexOf(separator, at);
    const end = next < 0 ? text.length : next;
    cells.push((cell + text.slice(at, end)).trim());
    if (cells.length > MOST_CELLS) throw new HistoryProblem(line, `has more than ${MOST_CELLS} cells.`);
    at = end;
  }
  return cells;
}
