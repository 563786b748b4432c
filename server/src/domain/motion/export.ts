import type { ExportFormat } from '@trackway/contract/resources/trip.ts';
import type { Store } from '../schema/tables.ts';

/** Exports the positions of a device as a file, read and written in chunks. */

interface Position {
  readonly id: number;
  readonly timestamp: number;
  readonly locationLat: number;
  readonly locationLng: number;
  readonly altitude: number | null;
  readonly speed: number | null;
  readonly course: number | null;
  readonly accuracy: number | null;
  readonly locationType: string;
}

interface Writer {
  readonly contentType: string;
  begin(name: string): string;
  each(position: Position, isFirst: boolean): string;
  end(): string;
}

const iso = (at: number) => new Date(at).toISOString();
const xml = (text: string) =>
  text
    .replaceAll(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');
const optional = (tag: string, value: number | null) => (value === null ? '' : `<${tag}>${value}</${tag}>`);

const WRITERS: Record<ExportFormat, Writer> = {
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
    begin: () => 'id,timestamp,lat,lng,altitude_m,speed_kmh,course_deg,accuracy_m,location_type\r\n',
    each: ({ id, timestamp, locationLat, locationLng, altitude, speed, course, accuracy, locationType }) =>
      `${[id, iso(timestamp), locationLat, locationLng, altitude ?? '', speed ?? '', course ?? '', accuracy ?? '', locationType].join(',')}\r\n`,
    end: () => '',
  },
};

export const contentTypeOf = (format: ExportFormat) => WRITERS[format].contentType;

const CHUNK = 1000;

export async function* exportTrack(
  store: Store,
  device: { id: number; name: string },
  format: ExportFormat,
  range: { from: number; to: number },
): AsyncGenerator<string> {
  const writer = WRITERS[format];
  yield writer.begin(device.name);
  let after = { timestamp: range.from, id: 0 };
  let isFirst = true;
  for (;;) {
    const positions = (await store.query
      .selectFrom('points')
      .select([
        'id',
        'timestamp',
        'locationLat',
        'locationLng',
        'altitude',
        'speed',
        'course',
        'accuracy',
        'locationType',
      ])
      .where('deviceId', '=', device.id)
      .where('timestamp', '>=', after.timestamp)
      .where('timestamp', '<=', range.to)
      .where((when) => when.or([when('timestamp', '>', after.timestamp), when('id', '>', after.id)]))
      .where('locationLat', 'is not', null)
      .orderBy('timestamp')
      .orderBy('id')
      .limit(CHUNK)
      .execute()) as Position[];
    let text = '';
    for (const position of positions) {
      text += writer.each(position, isFirst);
      isFirst = false;
    }
    if (text !== '') yield text;
    const last = positions.at(-1);
    if (last === undefined || positions.length < CHUNK) break;
    after = last;
  }
  yield writer.end();
}
