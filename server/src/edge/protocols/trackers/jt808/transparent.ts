import { newDraft, putAt, type RecordDraft, read } from '../record/draft.ts';
import { macAt } from '../record/networks.ts';
import type { TrackerSession } from '../tracker.ts';
import { OBD_EVENTS } from './alarms.ts';
import { timeAt } from './clock.ts';
import { readPlace, readStatus } from './location.ts';

/** 0900: a kind 1, then what its maker put there. Returns undefined for kinds that are not known. */
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

/** `GTSL|…|…|…|driver|…`, or a text of its own. */
function textOf(body: Buffer): RecordDraft {
  const draft = newDraft();
  const text = body.toString('latin1', 1).trim();
  if (text.startsWith('GTSL')) read(draft, 'driver_id', text.split('|')[4]);
  else read(draft, 'text', text);
  return draft;
}

/** Status 4, place 8, altitude 2, speed 2, course 2, time 6; then the tags that were heard, of kind 53. */
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
  const heard = [];
  // Number 1, address 6, signal 1, length 1, data of each, after how many there are.
  for (let at = 26; at + 9 <= body.length; ) {
    const end = at + 9 + body[at + 8]!;
    if (end > body.length) break;
    const rssi = body.readInt8(at + 7);
    heard.push({ sensorDeviceId: macAt(body, at + 1), type: 'data', value: body.toString('hex', at + 9, end), rssi });
    at = end;
  }
  draft.heard = heard;
  return draft;
}

/** Time 6, whether buffered 1, vehicle 1, kind 1, then measurements, faults or events, and the last known place. */
function obdOf(body: Buffer, session: TrackerSession): RecordDraft | undefined {
  if (body.length < 11) return undefined;
  const draft = newDraft();
  draft.timestamp = timeAt(body, 1, session);
  if (body[7]! > 0) read(draft, 'buffered', true);
  if (body[9] === 0x03) {
    let at = 11;
    for (let index = 0; index < body[10]! && at + 2 <= body.length; index += 1) {
      const alarm = OBD_EVENTS.get(body[at]!);
      if (alarm) draft.alarms = [...(draft.alarms ?? []), alarm];
      at += 2 + body[at + 1]!;
    }
  } else if (body[9] === 0x0b && body[10]! > 0) read(draft, 'vin', body.toString('latin1', 11, 28));
  return draft;
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
