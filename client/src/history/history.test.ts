import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ReadHistoryOptions, readHistory } from './formats.ts';
import { type HistoryPosition, HistoryProblem, positionCells } from './position.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');

/** However the text is cut, the same is read. */
async function read(text: string, options: ReadHistoryOptions = {}, size = 7): Promise<HistoryPosition[]> {
  async function* chunks() {
    for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
  }
  const found: HistoryPosition[] = [];
  for await (const position of readHistory(chunks(), options)) found.push(position);
  return found;
}
const cells = async (text: string, options?: ReadHistoryOptions) => {
  const [small, large] = [await read(text, options), await read(text, options, 1_000_000)];
  assert.deepEqual(small, large);
  return small.map(positionCells);
};
const refuses = (text: string, line: number, options?: ReadHistoryOptions) =>
  assert.rejects(read(text, options, 5000), (problem) => problem instanceof HistoryProblem && problem.line === line);

test('GPX: points with their time, height and speed', async () => {
  const gpx = `<?xml version="1.0"?>
<gpx xmlns="x"><trk><name>A &amp; B</name><trkseg>
<trkpt lat="50.1" lon="8.6"><ele>112.5</ele><time>2026-06-01T12:00:00Z</time>
  <extensions><gpxtpx:speed>10</gpxtpx:speed></extensions></trkpt>
<trkpt lon='8.7' lat='50.2'><time>2026-06-01T12:01:00Z</time></trkpt>
<trkpt lat="50.3" lon="8.8"/>
</trkseg></trk></gpx>`;
  assert.deepEqual(await cells(gpx), [
    [NOON, 50.1, 8.6, 36, 112.5],
    [NOON + 60_000, 50.2, 8.7],
  ]);
});

test('KML: tracks, and placemarks with a time', async () => {
  const kml = `<kml><Document><Placemark><gx:Track><when>2026-06-01T12:00:00Z</when><when>2026-06-01T12:01:00Z</when>
<gx:coord>8.6 50.1 100</gx:coord><gx:coord>8.7 50.2 0</gx:coord></gx:Track></Placemark>
<Placemark><TimeStamp><when>2026-06-01T12:02:00Z</when></TimeStamp><Point><coordinates>8.8,50.3</coordinates></Point></Placemark>
</Document></kml>`;
  assert.deepEqual(await cells(kml), [
    [NOON, 50.1, 8.6, null, 100],
    [NOON + 60_000, 50.2, 8.7, null, 0],
    [NOON + 120_000, 50.3, 8.8],
  ]);
});

test('GeoJSON: points, and lines with times', async () => {
  const feature = (geometry: object, properties: object) => ({ type: 'Feature', geometry, properties });
  const geojson = {
    type: 'FeatureCollection',
    features: [
      feature({ type: 'Point', coordinates: [8.6, 50.1] }, { time: '2026-06-01T12:00:00Z', speed: 50 }),
      feature(
        {
          type: 'LineString',
          coordinates: [
            [8.7, 50.2, 90],
            [8.8, 50.3],
          ],
        },
        { coordTimes: [NOON + 1000, NOON + 2000] },
      ),
      feature({ type: 'Polygon', coordinates: [] }, {}),
    ],
  };
  assert.deepEqual(await cells(JSON.stringify(geojson), { name: 'x.geojson' }), [
    [NOON, 50.1, 8.6, 50],
    [NOON + 1000, 50.2, 8.7, null, 90],
    [NOON + 2000, 50.3, 8.8],
  ]);
});

test('Google: records of Takeout, and what phones export', async () => {
  const records = {
    locations: [{ latitudeE7: 501000000, longitudeE7: 86000000, timestampMs: String(NOON), accuracy: 12 }],
  };
  assert.deepEqual(await cells(JSON.stringify(records, null, 2)), [[NOON, 50.1, 8.6, null, null, null, 12]]);
  const android = {
    semanticSegments: [
      {
        startTime: '2026-06-01T14:00:00.000+02:00',
        timelinePath: [{ point: '50.1°, 8.6°', time: '2026-06-01T14:00:00.000+02:00' }],
      },
      { startTime: 'x', visit: { topCandidate: { placeLocation: { latLng: '1°, 2°' } } } },
    ],
    rawSignals: [
      {
        position: {
          LatLng: '50.2°, 8.7°',
          accuracyMeters: 5,
          timestamp: '2026-06-01T12:01:00Z',
          speedMetersPerSecond: 5,
        },
      },
      { wifiScan: {} },
    ],
  };
  assert.deepEqual(await cells(JSON.stringify(android)), [
    [NOON, 50.1, 8.6],
    [NOON + 60_000, 50.2, 8.7, 18, null, null, 5],
  ]);
  const iphone = [
    {
      startTime: '2026-06-01T12:00:00Z',
      timelinePath: [{ point: 'geo:50.1,8.6', durationMinutesOffsetFromStartTime: '3' }],
    },
  ];
  assert.deepEqual(await cells(JSON.stringify(iphone)), [[NOON + 180_000, 50.1, 8.6]]);
});

test('OwnTracks: one JSON in each line', async () => {
  const said = { _type: 'location', lat: 50.1, lon: 8.6, tst: NOON / 1000, acc: 9, vel: 40, batt: 80 };
  const rec = `2026-06-01T12:00:00Z\t*                 \t${JSON.stringify(said)}\n2026-06-01T12:00:01Z\tlwt               \t{"_type":"lwt"}\n`;
  assert.deepEqual(await cells(rec), [[NOON, 50.1, 8.6, 40, null, null, 9, 80]]);
  await refuses(`${rec}2026-06-01T12:00:00Z\t*\t{broken`, 3);
});

test('CSV: columns by their names, and columns of another server with speeds in knots', async () => {
  assert.deepEqual(await cells('\uFEFFTime;Latitude;Longitude;Speed\r\n2026-06-01 12:00:00;50.1;8.6;50\r\n\r\n'), [
    [NOON, 50.1, 8.6, 50],
  ]);
  const other = 'id,deviceid,servertime,fixtime,latitude,longitude,altitude,speed,course,accuracy\n';
  const row = (device: number) => `1,${device},x,2026-06-01T12:00:00.000+00:00,50.1,8.6,100,10,90,0\n`;
  assert.deepEqual(await cells(`${other}${row(3)}${row(4)}`, { only: '3' }), [[NOON, 50.1, 8.6, 18.52, 100, 90]]);
  await refuses(`${other}${row(3)}${row(4)}`, 3);
  await refuses('time,lat,lng\nyesterday,1,2\n', 2);
  await refuses('a,b\n1,2\n', 1);
  await refuses('time,lat,lng\n"never closed,1,2\n', 2);
});

test('hostile files are refused with their line, and nothing of them is expanded', async () => {
  const bomb = '<?xml version="1.0"?>\n<!DOCTYPE lolz [\n<!ENTITY lol "lol">\n]>\n<gpx>&lol;</gpx>';
  await refuses(bomb, 2);
  await refuses(`<gpx>\n${'<a>'.repeat(100)}`, 2);
  await refuses(`<gpx>\n<!-- ${'x'.repeat(200_000)}`, 2);
  await refuses('<gpx><trk></gpx>', 1);
  await refuses('<gpx>\n<trk>', 2);
  await refuses(`{"locations":\n[{"a":${'['.repeat(100)}`, 2, { format: 'google' });
  await refuses('{"locations":[\n{"a": nonsense}]}', 2);
  await refuses('{"locations":[\n', 2);
  await refuses(`time,lat,lng\n${'x'.repeat(1_100_000)}`, 2);
  await refuses('', 1);
});

test('values are sent as files have them, as devices send theirs', () => {
  const position = {
    timestamp: NOON,
    lat: 50.12345678,
    lng: 8.6,
    altitudeM: 112.56,
    courseDeg: 90.25,
    accuracyM: 24.44,
  };
  assert.deepEqual(positionCells({ ...position, speedKmh: 5.1 * 3.6, batteryPct: 55.6 }), [
    ...[NOON, 50.12345678, 8.6],
    ...[18.36, 112.56, 90.25, 24.44, 55.6],
  ]);
});
