import { isObject, type Json, nameOf, numberOf, parseJson } from '../claims.ts';
import { ioReaderOf } from '../trackers/teltonika/io-table.ts';
import { recordOf } from '../trackers/teltonika/record-of.ts';
import type { IoValue } from '../trackers/teltonika/records.ts';
import type { DecodedTopic, TopicMessage, TopicSource } from './source.ts';

/** `<imei>/data`: the JSON of Teltonika trackers. https://wiki.teltonika-gps.com/view/Codec_JSON */
export const teltonikaTopics: TopicSource = {
  name: 'teltonika',
  prefix: '',
  filters: ['+/data'],
  decode,
};

const WIDTHS = [1, 2, 4, 8];
const MOST_VALUES = 300;

function decode({ levels, payload }: TopicMessage): DecodedTopic {
  const names = [levels[0] ?? ''];
  const json = parseJson(payload.toString('utf8'));
  const state = isObject(json) && isObject(json.state) ? json.state.reported : undefined;
  if (isObject(json) && json.RSP !== undefined) return { ignored: 'the reply to a command' };
  if (!isObject(state)) return { problem: 'it has no state.reported', names };
  const timestamp = numberOf(state.ts);
  const place = placeIn(state.latlng);
  if (timestamp === undefined) return { problem: 'it has no time', names };
  const record = recordOf(
    {
      timestamp,
      priority: numberOf(state.pr) ?? 0,
      lat: place?.lat ?? 0,
      lng: place?.lng ?? 0,
      altitudeM: numberOf(state.alt) ?? 0,
      courseDeg: numberOf(state.ang) ?? 0,
      sats: place === undefined ? 0 : (numberOf(state.sat) ?? 0),
      speedKmh: numberOf(state.sp) ?? 0,
      eventId: numberOf(state.evt) ?? 0,
      io: valuesIn(state),
    },
    undefined,
  );
  return { names, said: { records: [record] } };
}

/** `54.714578,25.303245` */
function placeIn(value: unknown): { lat: number; lng: number } | undefined {
  const [lat, lng, more] = nameOf(value, 60)?.split(',').map(numberOf) ?? [];
  return lat === undefined || lng === undefined || more !== undefined ? undefined : { lat, lng };
}

/** The values by their ids. JSON has no widths, so the known width of the id is used. */
function valuesIn(state: Json): IoValue[] {
  return Object.entries(state)
    .filter(([name]) => /^\d{1,5}$/.test(name))
    .slice(0, MOST_VALUES)
    .flatMap(([name, sent]) => {
      const id = Number(name);
      const value = sent === true ? 1 : sent === false ? 0 : numberOf(sent);
      if (value === undefined || !Number.isSafeInteger(value)) return [];
      const widths = WIDTHS.filter((width) => fits(value, width));
      const width = widths.find((one) => ioReaderOf(id, one, false) !== undefined) ?? widths[0]!;
      return [{ id, bytes: bytesOf(value, width) }];
    });
}

const fits = (value: number, width: number) => value < 2 ** (8 * width) && value >= -(2 ** (8 * width - 1));

function bytesOf(value: number, width: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, BigInt(value)));
  return bytes.subarray(8 - width);
}
