import { u16 } from '../bytes.ts';
import { macAt, newDraft, putAt, type RecordDraft, read } from '../record/networks.ts';
import type { TrackerSession } from '../tracker.ts';
import { DRIVING_EVENTS, OBD_EVENTS } from './alarms.ts';
import { readPlace, readStatus, timeAt } from './location.ts';

/** 0900: kind 1, then manufacturer-specific data. Returns undefined for unknown kinds. */
export function transparentOf(body: Buffer, session: TrackerSession): RecordDraft | undefined {
  switch (body[0]) {
    case 0x40:
    case 0x41:
      return textOf(body);
    case 0x53:
    case 0x54:
      return placeWithTags(body, session);
    case 0xf0:
      return obdOf(body, session);
    case 0xff:
      return placeOfRecorder(body, session);
    default:
      return undefined;
  }
}

/** `GTSL|…|…|…|driver|…`, or free text. */
function textOf(body: Buffer): RecordDraft {
  const draft = newDraft();
  const text = body.toString('latin1', 1).trim();
  if (text.startsWith('GTSL')) read(draft, 'driver_id', text.split('|')[4]);
  else read(draft, 'text', text);
  return draft;
}

/** Status 4, place 8, altitude 2, speed 2, course 2, time 6; then the received tags, of kind 53. */
function placeWithTags(body: Buffer, session: TrackerSession): RecordDraft | undefined {
  if (body.length < 25) return undefined;
  const draft = newDraft();
  draft.timestamp = timeAt(body, 19, session);
  readStatus(draft, body.readUInt32BE(1));
  readPlace(draft, body, 1);
  draft.altitudeM = body.readInt16BE(13);
  draft.speedKmh = body.readUInt16BE(15) / 10;
  draft.courseDeg = body.readUInt16BE(17);
  if (body[0] !== 0x53) return draft;
  const tagReadings = [];
  // For each tag after the count: number 1, address 6, signal 1, length 1, data.
  for (let at = 26; at + 9 <= body.length; ) {
    const end = at + 9 + body[at + 8]!;
    if (end > body.length) break;
    const rssi = body.readInt8(at + 7);
    tagReadings.push({
      sensorDeviceId: macAt(body, at + 1),
      type: 'data',
      value: body.toString('hex', at + 9, end),
      rssi,
    });
    at = end;
  }
  draft.tagReadings = tagReadings;
  return draft;
}

/** Time 6, whether buffered 1, vehicle 1, kind 1, then measurements, faults or events, and the last known place. */
function obdOf(body: Buffer, session: TrackerSession): RecordDraft | undefined {
  if (body.length < 11) return undefined;
  const draft = newDraft();
  draft.timestamp = timeAt(body, 1, session);
  if (body[7]! > 0) read(draft, 'buffered', true);
  switch (body[9]) {
    case 0x01:
      readPlaceAt(draft, body, behind(body, 3));
      break;
    case 0x02:
      readPlaceAt(draft, body, behindFaults(body));
      break;
    case 0x03: {
      const end = behind(body, 2, (at) => {
        const alarm = OBD_EVENTS.get(body[at]!);
        if (alarm) draft.alarms = [...(draft.alarms ?? []), alarm];
      });
      readPlaceAt(draft, body, end);
      break;
    }
    case 0x0b:
      if (body[10]! > 0) read(draft, 'vin', body.toString('latin1', 11, 28));
      break;
    case 0x15: {
      const alarm = body.length >= 14 ? DRIVING_EVENTS.get(body.readUInt32BE(10)) : undefined;
      if (alarm) draft.alarms = [alarm];
    }
  }
  return draft;
}

/**
 * The offset after a list that starts with its count: each item has a header whose last byte is the length of its
 * value.
 */
function behind(body: Buffer, headBytes: number, found: (at: number) => void = () => {}): number {
  let at = 11;
  for (let index = 0; index < body[10]! && at + headBytes <= body.length; index += 1) {
    found(at);
    at += headBytes + body[at + headBytes - 1]!;
  }
  return at;
}

/**
 * Number of systems 2; for each its id 4 and number of faults 2; for each fault two numbers of 4, and its name with its
 * length 2.
 */
function behindFaults(body: Buffer): number {
  let at = 12;
  for (let systems = u16(body, 10) ?? 0; systems > 0 && at + 6 <= body.length; systems -= 1) {
    let faults = body.readUInt16BE(at + 4);
    at += 6;
    for (; faults > 0 && at + 10 <= body.length; faults -= 1) at += 10 + body.readUInt16BE(at + 8);
  }
  return at;
}

/** Status 4 and place 8, if present. */
function readPlaceAt(draft: RecordDraft, body: Buffer, at: number): void {
  if (at + 12 > body.length) return;
  readStatus(draft, body.readUInt32BE(at));
  readPlace(draft, body, at);
}

/** Time 6, latitude 4 and longitude 4 signed, altitude 2, speed 2, course 2. */
function placeOfRecorder(body: Buffer, session: TrackerSession): RecordDraft | undefined {
  if (body.length < 21) return undefined;
  const draft = newDraft();
  draft.timestamp = timeAt(body, 1, session);
  putAt(draft, body.readInt32BE(7) / 1_000_000, body.readInt32BE(11) / 1_000_000, true);
  draft.altitudeM = body.readInt16BE(15);
  draft.speedKmh = body.readUInt16BE(17) / 10;
  draft.courseDeg = body.readUInt16BE(19);
  return draft;
}
