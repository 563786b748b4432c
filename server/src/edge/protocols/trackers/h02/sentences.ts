import { cellReadings, type NearCell } from '../record/networks.ts';
import {
  countOf,
  decimalOf,
  digitsOf,
  epochOfDigits,
  hexOf,
  KMH_PER_KNOT,
  percentOf,
  placeOf,
  readingsOf,
  textOf,
} from '../text/numbers.ts';
import type { DecodedFrame, ReplyPlan, TrackerRecord, TrackerSession } from '../tracker.ts';
import { batteryOf, coordinateOf, positionAt, positionOf, statusOf } from './position.ts';

/** `*maker,id,type,…#` */
export function decodeText(frame: Buffer, session: TrackerSession): DecodedFrame {
  const sentence = frame.toString('latin1');
  const start = sentence.indexOf('*');
  const end = sentence.indexOf('#', start);
  const fields = sentence.slice(start + 1, end < 0 ? undefined : end).split(',');
  const [maker, id = '', type = '', ...rest] = fields as [string, ...string[]];
  if (!/^\w{0,20}$/.test(id)) return { records: [], problem: 'no number of a device' };
  const decoded = bodyOf({ maker, id, type: type.trim(), fields: rest }, session);
  return id === '' ? { ...decoded, reply: undefined } : { identities: [id], ...decoded };
}

interface Sentence {
  readonly maker: string;
  readonly id: string;
  readonly type: string;
  readonly fields: readonly string[];
}

function bodyOf(sentence: Sentence, session: TrackerSession): DecodedFrame {
  const { maker, id, type, fields } = sentence;
  switch (type) {
    case '':
    case 'XT':
      return { records: [] };
    case 'HTBT':
    case 'V0':
      return {
        records: statusOnly({ batteryPct: percentOf(fields[0]) }),
        reply: { when: 'now', bytes: Buffer.from(`*${maker},${id},${type}#`, 'latin1') },
      };
    case 'SMS':
      return { records: [], commandReply: { text: textOf(fields.join(',')) } };
    case 'NBR':
      return { records: neighboursOf(fields), reply: timeReply(id, type, session) };
    case 'V3':
      return { records: cellsOf(fields) };
    case 'LINK':
      return { records: linkOf(fields) };
    case 'VP1':
      return { records: shortOf(fields, session) };
    case 'V4':
      return commandReplyOf(fields);
    default:
      return positionSentence(sentence, session);
  }
}

function positionSentence({ id, type, fields }: Sentence, session: TrackerSession): DecodedFrame {
  const at = positionAt(fields);
  if (at < 0) return { records: [], problem: `unknown sentence ${textOf(type, 20)}` };
  return {
    records: [positionOf(fields, at)],
    ...(type === 'V1' ? { reply: timeReply(id, type, session) } : {}),
  };
}

/** The command, its arguments and its time, then the position. */
function commandReplyOf(fields: readonly string[]): DecodedFrame {
  const at = positionAt(fields);
  const said = at < 0 ? fields : fields.slice(0, at);
  const time = said.findLast((field) => /^\d{6}$/.test(field));
  return {
    records: at < 0 ? [] : [positionOf(fields, at)],
    commandReply: {
      text: textOf(said.join(',')),
      ...(time === undefined ? {} : { correlation: `${textOf(said[0]!, 20)},${time}` }),
    },
  };
}

const timeReply = (id: string, type: string, { now }: TrackerSession): ReplyPlan => ({
  when: 'afterDurable',
  bytes: Buffer.from(`*HQ,${id},V4,${type},${digitsOf(now)}#`, 'latin1'),
});

/** hhmmss, mcc, mnc, delay, count, count × (lac, cid, rssi), ddmmyy, status, level */
function neighboursOf(fields: readonly string[]): TrackerRecord[] {
  const [time, mcc, mnc, , count] = fields as string[];
  const cells = cellsFrom(fields.slice(5), countOf(count), 3, mcc, mnc);
  const [date, word, level] = fields.slice(5 + cells.length * 3) as string[];
  return [
    withStatus(word, { timestamp: epochOfDigits(date, 'dmy', time), batteryPct: batteryOf(countOf(level)) }, cells),
  ];
}

/** hhmmss, mcc and mnc in one, count, count × (lac, cid, signal, rssi), battery, restarts, X, ddmmyy, status */
function cellsOf(fields: readonly string[]): TrackerRecord[] {
  const [time, network = '', count] = fields as string[];
  const cells = cellsFrom(fields.slice(3), countOf(count), 4, network.slice(0, 3), network.slice(3));
  const [battery, , , date, word] = fields.slice(3 + cells.length * 4) as string[];
  const record = withStatus(word, { timestamp: epochOfDigits(date, 'dmy', time) }, cells);
  return [{ ...record, readings: [...(record.readings ?? []), ...readingsOf({ battery_raw: hexOf(battery) })] }];
}

/** hhmmss, gsm, satellites, battery, steps, turnovers, ddmmyy, status */
function linkOf([time, gsm, sats, battery, steps, , date, word]: readonly string[]): TrackerRecord[] {
  const record = withStatus(word, {
    timestamp: epochOfDigits(date, 'dmy', time),
    gsmSignal: countOf(gsm),
    sats: countOf(sats),
    batteryPct: percentOf(battery),
  });
  return [{ ...record, readings: [...(record.readings ?? []), ...readingsOf({ steps: countOf(steps) })] }];
}

const DAY_MS = 86_400_000;

/**
 * `V,mcc,mnc,lac,cid,rssiY…`, or `A,lat,N,lon,E,speed,course,ddmmyy`. It has no time of day: with today's date, the
 * current time is used.
 */
function shortOf(fields: readonly string[], { now }: TrackerSession): TrackerRecord[] {
  const [flag, ...rest] = fields;
  if (flag === 'V') {
    const [mcc, mnc, ...cells] = rest as string[];
    return [withStatus(undefined, {}, cellsFrom(cells.join(',').split(/[Y,]/), 99, 3, mcc, mnc))];
  }
  const [lat, ns, lng, ew, speed, course, date] = rest as string[];
  const midnight = epochOfDigits(date?.slice(0, 6), 'dmy', '000000');
  const knots = decimalOf(speed);
  return [
    {
      timestamp: midnight === Math.floor(now / DAY_MS) * DAY_MS ? undefined : midnight,
      ...placeOf(coordinateOf(lat, ns), coordinateOf(lng, ew), flag === 'A' || flag === 'B'),
      speedKmh: knots === undefined ? undefined : knots * KMH_PER_KNOT,
      courseDeg: decimalOf(course),
    },
  ];
}

function cellsFrom(
  fields: readonly string[],
  count: number | undefined,
  width: 3 | 4,
  mcc: string | undefined,
  mnc: string | undefined,
): NearCell[] {
  const cells: NearCell[] = [];
  const most = Math.min(count ?? 0, Math.floor(fields.length / width));
  for (let index = 0; index < most; index += 1) {
    const [lac, cid, ...levels] = fields.slice(index * width, (index + 1) * width);
    cells.push({
      mcc: countOf(mcc),
      mnc: countOf(mnc),
      lac: countOf(lac) ?? 0,
      cid: countOf(cid) ?? 0,
      rssi: decimalOf(levels.at(-1)) ?? decimalOf(levels[0]),
    });
  }
  return cells;
}

function withStatus(
  word: string | undefined,
  record: Partial<TrackerRecord>,
  cells: readonly NearCell[] = [],
): TrackerRecord {
  const { readings = [], standingAlarms } = statusOf(hexOf(word?.slice(0, 8)));
  return { isValid: false, ...record, readings: [...readings, ...cellReadings(cells)], standingAlarms };
}

const statusOnly = (status: Partial<TrackerRecord>): TrackerRecord[] =>
  Object.values(status).some((value) => value !== undefined) ? [{ isValid: false, ...status }] : [];
