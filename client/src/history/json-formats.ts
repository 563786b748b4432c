import { jsonElements } from './json-elements.ts';
import { type Chunks, linesOf } from './lines.ts';
import { type HistoryPosition, HistoryProblem, numberIn, timeIn } from './position.ts';

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const KMH_PER_MS = 3.6;
const kmh = (metresPerSecond: unknown) => {
  const speed = numberIn(metresPerSecond);
  return speed === undefined ? undefined : speed * KMH_PER_MS;
};

/** Google's location history: `Records.json` of Takeout, and the timeline that phones export. */
export async function* googlePositions(chunks: Chunks): AsyncGenerator<HistoryPosition> {
  for await (const { list, value } of jsonElements(chunks, ['locations', 'semanticSegments', 'rawSignals'])) {
    if (!isObject(value)) continue;
    if (list === 'locations') yield* known(recordOf(value));
    else if (list === 'rawSignals') yield* known(isObject(value.position) ? signalOf(value.position) : undefined);
    else yield* pathOf(value);
  }
}

function* known(position: HistoryPosition | undefined): Generator<HistoryPosition> {
  if (position) yield position;
}

function recordOf(record: Json): HistoryPosition | undefined {
  const timestamp = timeIn(record.timestamp ?? record.timestampMs);
  const [lat, lng] = [numberIn(record.latitudeE7), numberIn(record.longitudeE7)];
  if (timestamp === undefined || lat === undefined || lng === undefined) return undefined;
  return {
    ...{ timestamp, lat: lat / 1e7, lng: lng / 1e7, speedKmh: kmh(record.velocity) },
    ...{ altitudeM: numberIn(record.altitude), courseDeg: numberIn(record.heading) },
    ...{
      accuracyM: numberIn(record.accuracy),
      batteryPct: numberIn(record.batteryCharging ? undefined : record.battery),
    },
  };
}

function signalOf(position: Json): HistoryPosition | undefined {
  const timestamp = timeIn(position.timestamp);
  const place = placeIn(position.LatLng ?? position.latLng);
  if (timestamp === undefined || place === undefined) return undefined;
  return {
    ...{ timestamp, ...place, speedKmh: kmh(position.speedMetersPerSecond) },
    ...{ altitudeM: numberIn(position.altitudeMeters), accuracyM: numberIn(position.accuracyMeters) },
  };
}

function* pathOf(segment: Json): Generator<HistoryPosition> {
  const start = timeIn(segment.startTime);
  if (!Array.isArray(segment.timelinePath)) return;
  for (const step of segment.timelinePath) {
    if (!isObject(step)) continue;
    const place = placeIn(step.point);
    const offsetMin = numberIn(step.durationMinutesOffsetFromStartTime);
    const timestamp =
      timeIn(step.time) ?? (start === undefined || offsetMin === undefined ? undefined : start + offsetMin * 60_000);
    if (place && timestamp !== undefined) yield { timestamp, ...place };
  }
}

/** `48.1°, 11.5°` of Android, `geo:48.1,11.5` of iPhones. */
function placeIn(text: unknown): { lat: number; lng: number } | undefined {
  const found = /^\s*(?:geo:)?\s*(-?\d+(?:\.\d+)?)°?\s*,\s*(-?\d+(?:\.\d+)?)°?\s*$/.exec(String(text ?? ''));
  return found ? { lat: Number(found[1]), lng: Number(found[2]) } : undefined;
}

/** GeoJSON: points with a time, and lines with the times of their vertices. */
export async function* geojsonPositions(chunks: Chunks): AsyncGenerator<HistoryPosition> {
  for await (const { value, line } of jsonElements(chunks, ['features'])) {
    if (!isObject(value) || !isObject(value.geometry)) continue;
    const { type, coordinates } = value.geometry;
    const properties = isObject(value.properties) ? value.properties : {};
    if (!Array.isArray(coordinates)) continue;
    if (type === 'Point') {
      const said = properties.time ?? properties.timestamp ?? properties.datetime;
      yield* known(cornerOf(coordinates, said, properties));
    } else if (type === 'LineString') {
      const times = timesIn(properties);
      if (times === undefined) continue;
      if (times.length !== coordinates.length)
        throw new HistoryProblem(line, 'begins a line with more or fewer times.');
      for (const [at, corner] of coordinates.entries())
        if (Array.isArray(corner)) yield* known(cornerOf(corner, times[at], {}));
    }
  }
}

function timesIn(properties: Json): readonly unknown[] | undefined {
  const nested = isObject(properties.coordinateProperties) ? properties.coordinateProperties.times : undefined;
  const times = nested ?? properties.coordTimes ?? properties.times;
  return Array.isArray(times) ? times : undefined;
}

function cornerOf(
  [lng, lat, altitude]: readonly unknown[],
  said: unknown,
  properties: Json,
): HistoryPosition | undefined {
  const timestamp = timeIn(said);
  if (timestamp === undefined || typeof lat !== 'number' || typeof lng !== 'number') return undefined;
  return {
    ...{
      timestamp,
      lat,
      lng,
      altitudeM: numberIn(altitude ?? properties.altitude),
      speedKmh: numberIn(properties.speed),
    },
    ...{ courseDeg: numberIn(properties.course), accuracyM: numberIn(properties.accuracy) },
  };
}

/** The `.rec` files of the OwnTracks Recorder: a time, a topic and JSON in each line. */
export async function* owntracksPositions(chunks: Chunks): AsyncGenerator<HistoryPosition> {
  for await (const { number, text } of linesOf(chunks)) {
    const begin = text.indexOf('{');
    if (begin < 0) continue;
    let said: unknown;
    try {
      said = JSON.parse(text.slice(begin));
    } catch {
      throw new HistoryProblem(number, 'is no JSON.');
    }
    if (!isObject(said) || said._type !== 'location') continue;
    const [timestamp, lat, lng] = [timeIn(said.tst), numberIn(said.lat), numberIn(said.lon)];
    if (timestamp === undefined || lat === undefined || lng === undefined) continue;
    yield {
      ...{ timestamp, lat, lng, speedKmh: numberIn(said.vel), altitudeM: numberIn(said.alt) },
      ...{ courseDeg: numberIn(said.cog), accuracyM: numberIn(said.acc), batteryPct: numberIn(said.batt) },
    };
  }
}
