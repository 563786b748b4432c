import type { ExportFormat } from '@trackway/contract/resources/trip.ts';
import { defineReadWork, type Workplace } from '../../platform/storage/work.ts';
import type { TextChunk } from '../chunked-text.ts';
import { positions } from '../positions/positions.ts';
import type { Tables } from '../schema/tables.ts';

/** The export formats of positions. */

interface ExportedPosition {
  readonly id: number;
  readonly timestamp: number;
  readonly locationLat: number;
  readonly locationLng: number;
  readonly altitude: number | null;
  readonly speed: number | null;
  readonly course: number | null;
  readonly accuracy: number | null;
  readonly locationType: string;
  readonly stringValue: string | null;
  readonly currentUsed: number | null;
  readonly num_value: string | null;
}

interface ExportWriter {
  readonly contentType: string;
  begin(name: string): string;
  each(position: ExportedPosition, isFirst: boolean): string;
  end(): string;
}

const iso = (at: number) => new Date(at).toISOString();
const xml = (text: string) =>
  text
    .replaceAll(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');
/** Quotes a value if necessary. A value that a spreadsheet would interpret as a formula is marked as text. */
const csv = (text: string | null) => {
  if (text === null) return '';
  const harmless = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
};
const optional = (tag: string, value: number | null) => (value === null ? '' : `<${tag}>${value}</${tag}>`);

export const EXPORT_WRITERS: Record<ExportFormat, ExportWriter> = {
  gpx: {
    contentType: 'application/gpx+xml; charset=utf-8',
    begin: (name) =>
      `<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="Trackway" xmlns="http://www.topografix.com/GPX/1/1"><trk><name>${xml(name)}</name><trkseg>\n`,
    each: ({ locationLat, locationLng, altitude, timestamp }) =>
      `<trkpt lat="${locationLat}" lon="${locationLng}">${optional('ele', altitude)}<time>${iso(timestamp)}</time></trkpt>\n`,
    end: () => '</trkseg></trk></gpx>\n',
  },
  kml: {
    contentType: 'application/vnd.google-earth.kml+xml; charset=utf-8',
    begin: (name) =>
      `<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document><name>${xml(name)}</name><Placemark><name>${xml(name)}</name><gx:Track>\n`,
    each: ({ locationLat, locationLng, altitude, timestamp }) =>
      `<when>${iso(timestamp)}</when><gx:coord>${locationLng} ${locationLat} ${altitude ?? 0}</gx:coord>\n`,
    end: () => '</gx:Track></Placemark></Document></kml>\n',
  },
  geojson: {
    contentType: 'application/geo+json; charset=utf-8',
    begin: () => '{"type":"FeatureCollection","features":[\n',
    each(position, isFirst) {
      const { locationLat, locationLng, altitude, timestamp, ...more } = position;
      const { id, speed, course, accuracy, locationType } = more;
      const properties = { timestamp: iso(timestamp), speed, course, accuracy, locationType };
      const coordinates = altitude === null ? [locationLng, locationLat] : [locationLng, locationLat, altitude];
      return `${isFirst ? '' : ',\n'}${JSON.stringify({ type: 'Feature', id, geometry: { type: 'Point', coordinates }, properties })}`;
    },
    end: () => '\n]}\n',
  },
  csv: {
    contentType: 'text/csv; charset=utf-8',
    begin: () =>
      'id,timestamp,lat,lng,altitude_m,speed_kmh,course_deg,accuracy_m,location_type,string_value,current_used,num_value\r\n',
    each({ id, timestamp, locationLat, locationLng, altitude, speed, course, accuracy, locationType, ...more }) {
      const measured = [altitude, speed, course, accuracy].map((value) => value ?? '');
      const said = [csv(more.stringValue), more.currentUsed ?? '', csv(more.num_value)];
      return `${[id, iso(timestamp), locationLat, locationLng, ...measured, locationType, ...said].join(',')}\r\n`;
    },
    end: () => '',
  },
};

/** The source and the progress of an export. */
interface TrackExport {
  readonly device: { readonly id: number; readonly name: string };
  readonly format: ExportFormat;
  readonly from: number;
  readonly to: number;
  /** The last exported position. */
  readonly after?: { readonly timestamp: number; readonly id: number };
}

type ExportChunk = TextChunk<NonNullable<TrackExport['after']>>;

/** About 60 kB of text. */
const POSITIONS = 500;

/** Reads and formats the next positions of an export. */
export const exportChunk = defineReadWork(
  import.meta.url,
  async ({ query }: Workplace<Tables>, { device, format, from, to, after }: TrackExport): Promise<ExportChunk> => {
    const found = await positions(query, {
      deviceId: device.id,
      from,
      to,
      after,
      kind: 'placed',
      limit: POSITIONS,
      columns: [
        'id',
        'timestamp',
        'locationLat',
        'locationLng',
        'altitude',
        'speed',
        'course',
        'accuracy',
        'locationType',
        'stringValue',
        'currentUsed',
        'num_value',
      ],
    });
    const exported = found as ExportedPosition[];
    const writer = EXPORT_WRITERS[format];
    let text = after === undefined ? writer.begin(device.name) : '';
    for (const [index, position] of exported.entries())
      text += writer.each(position, after === undefined && index === 0);
    const last = exported.at(-1);
    if (last === undefined || exported.length < POSITIONS) return { text: text + writer.end() };
    return { text, after: { timestamp: last.timestamp, id: last.id } };
  },
);
