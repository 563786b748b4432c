import type { Chunks } from './lines.ts';
import { type HistoryPosition, HistoryProblem, numberIn, timeIn } from './position.ts';
import { attributeIn, xmlPieces } from './xml.ts';

const KMH_PER_MS = 3.6;
const POINTS = ['trkpt', 'rtept', 'wpt'];

/** Positions of a GPX file. Positions without a time are left out. */
export async function* gpxPositions(chunks: Chunks): AsyncGenerator<HistoryPosition> {
  let place: { lat: number; lng: number } | undefined;
  let said: Record<string, string> = {};
  for await (const piece of xmlPieces(chunks)) {
    if (piece.kind === 'open') {
      if (!POINTS.includes(piece.name)) continue;
      const [lat, lng] = ['lat', 'lon'].map((name) => numberIn(attributeIn(piece.attributes, name)));
      if (lat === undefined || lng === undefined)
        throw new HistoryProblem(piece.line, 'has a point without lat and lon.');
      place = { lat, lng };
      said = {};
    } else if (!POINTS.includes(piece.name)) {
      if (place) said[piece.name] = piece.text;
    } else {
      const timestamp = timeIn(said.time);
      const speed = numberIn(said.speed);
      if (timestamp !== undefined && place)
        yield {
          timestamp,
          ...place,
          speedKmh: speed === undefined ? undefined : speed * KMH_PER_MS,
          altitudeM: numberIn(said.ele),
          courseDeg: numberIn(said.course),
        };
      place = undefined;
    }
  }
}

/** Positions of a KML file: tracks, and placemarks with a time. */
export async function* kmlPositions(chunks: Chunks): AsyncGenerator<HistoryPosition> {
  const MOST_WAITING = 1_000_000;
  let times: (number | undefined)[] = [];
  let isTrack = false;
  let next = 0;
  let when: number | undefined;
  let place: readonly number[] | undefined;
  const positionOf = (timestamp: number, [lng, lat, altitudeM]: readonly number[]) => ({
    timestamp,
    lat: lat!,
    lng: lng!,
    altitudeM,
  });
  for await (const piece of xmlPieces(chunks)) {
    const { kind, name } = piece;
    if (kind === 'open') {
      if (name === 'track') [isTrack, times, next] = [true, [], 0];
      if (name === 'placemark') [when, place] = [undefined, undefined];
    } else if (name === 'track') isTrack = false;
    else if (name === 'when' && isTrack) {
      if (times.push(timeIn(piece.text)) > MOST_WAITING)
        throw new HistoryProblem(piece.line, `is the end of more than ${MOST_WAITING} times in one track.`);
    } else if (name === 'coord' && isTrack) {
      const at = times[next++];
      const cells = placeIn(piece.text, /\s+/);
      if (at !== undefined && cells) yield positionOf(at, cells);
    } else if (name === 'when' || name === 'begin') when = timeIn(piece.text);
    else if (name === 'coordinates') place = placeIn(piece.text, /\s*,\s*/);
    else if (name === 'placemark' && when !== undefined && place) yield positionOf(when, place);
  }
}

/** Longitude, latitude and altitude; undefined for a line of several places. */
function placeIn(text: string, separator: RegExp): readonly number[] | undefined {
  const cells = text.trim().split(separator).map(numberIn);
  return cells.length >= 2 && cells.length <= 3 && cells.every((cell) => cell !== undefined) ? cells : undefined;
}
