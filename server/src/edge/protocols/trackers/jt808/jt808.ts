import { newDraft, type RecordDraft, read, saysSomething } from '../record/draft.ts';
import type { DecodedFrame, TrackerProtocol, TrackerSession } from '../tracker.ts';
import {
  generalAnswer,
  type Jt808Answer,
  lockAnswer,
  mediaAnswer,
  RESULT,
  registerAnswer,
  timeAnswer,
} from './answers.ts';
import { batchOf, shortBatchOf } from './batch.ts';
import { timeAt } from './clock.ts';
import { COMMANDS, encode, rememberAddress } from './commands.ts';
import { frameOf, isLockReport, type Jt808Frame, MAX_FRAME_BYTES, recognise, split, splitDatagram } from './frame.ts';
import { textOf } from './gbk.ts';
import { identitiesOf } from './identity.ts';
import { locationOf } from './location.ts';
import { lockReportOf } from './lock-report.ts';
import { commandReplyOf } from './replies.ts';
import { transparentOf } from './transparent.ts';

/** The Chinese standard JT/T 808 of 2011, 2013 and 2019, and what makers added to it. */
export const jt808: TrackerProtocol = {
  name: 'jt808',
  maxFrameBytes: MAX_FRAME_BYTES,
  recognise,
  split,
  splitDatagram,
  decode,
  encode,
  commands: COMMANDS,
  repliesNameCommand: true,
};

function decode(bytes: Buffer, session: TrackerSession): DecodedFrame {
  const frame = frameOf(bytes);
  if (frame === undefined) return { records: [], problem: 'No frame of JT/T 808.' };
  if (!frame.isChecksumRight && !session.acceptsWrongChecksum)
    return { records: [], isDamaged: true, problem: 'The checksum is wrong.' };
  const { remember, identities, ...content } = contentOf(frame, session);
  const address = rememberAddress(frame, session.memory);
  return {
    identities: identities ?? identitiesOf(frame.id),
    ...content,
    ...(remember || address ? { remember: { ...remember, ...address } } : {}),
  };
}

type Content = Omit<DecodedFrame, 'isDamaged'>;

/** Answers of devices to what the server said are not answered; nor is what servers say. */
const UNANSWERED = new Set([0x0001, 0x0104, 0x0201, 0x0500, 0x0302, 0x0701, 0x1300, 0x0805]);
const isOfServer = (type: number) => type >= 0x8000;
/** Heartbeats, logging out and the like: nothing is lost if they are answered and the server stops. */
const AT_ONCE = new Set([0x0002, 0x0003, 0x0102, 0x0506, 0x1007]);

function contentOf(frame: Jt808Frame, session: TrackerSession): Content {
  const { type, part } = frame;
  if (isOfServer(type)) return { records: [] };
  if (isLockReport(type)) return lockContent(frame, session);
  if (frame.isEncrypted)
    return {
      records: [],
      problem: 'The body is encrypted.',
      ...generalAnswer(frame, session, 'now', RESULT.unsupported),
    };
  if (type === 0x0100) return { records: [], ...registerAnswer(frame, frame.id, session) };
  if (type === 0x0109) return { records: [], ...timeAnswer(frame, session) };
  if (type === 0x0801 && part === undefined && frame.body.length >= 4)
    return { records: [], ...mediaAnswer(frame, session) };
  const told = toldBy(frame, session);
  const commandReply = commandReplyOf(frame);
  const answer: Partial<Jt808Answer> = UNANSWERED.has(type)
    ? {}
    : generalAnswer(frame, session, AT_ONCE.has(type) ? 'now' : 'afterDurable');
  const remember = told.remember || answer.remember ? { ...told.remember, ...answer.remember } : undefined;
  return {
    ...told,
    ...(answer.reply ? { reply: answer.reply } : {}),
    ...(commandReply ? { commandReply } : {}),
    ...(remember ? { remember } : {}),
  };
}

function toldBy(frame: Jt808Frame, session: TrackerSession): Content {
  const { type, body, part } = frame;
  if (part !== undefined && part.number > 1 && type !== 0x0704)
    return { records: [], problem: 'A part of a message that is not put together.' };
  switch (type) {
    case 0x0002:
      return heartbeatOf(body);
    case 0x0102:
      return authenticationOf(frame);
    case 0x0107:
      return one(attributesOf(body));
    case 0x0200:
      return locationContent(frame, body, session);
    case 0x0201:
    case 0x0500:
      return locationContent(frame, body.subarray(2), session);
    case 0x0210:
      return body.length === 7 ? one(shortStatusOf(body, session)) : shortBatchOf(frame, session);
    case 0x0702:
      return one(driverOf(body, session));
    case 0x0704:
      return batchOf(frame, session);
    case 0x0900:
      return one(transparentOf(body, session));
    default:
      return { records: [] };
  }
}

const one = (draft: RecordDraft | undefined): Content => ({
  records: draft && saysSomething(draft) ? [draft] : [],
});

function locationContent(frame: Jt808Frame, body: Buffer, session: TrackerSession): Content {
  const record = locationOf(body, session);
  if (record === undefined) return { records: [], problem: 'The location is too short.' };
  // Some makers leave the identity of the header empty.
  const imei = frame.id.startsWith('000000') && /^0+$/.test(frame.id) ? imeiOf(record) : undefined;
  return imei === undefined ? { records: [record] } : { records: [record], identities: [imei, frame.id] };
}

/** Item F6 of eight bytes. */
function imeiOf({ readings }: RecordDraft): string | undefined {
  const items = readings.find(({ type }) => type === 'vendor_items')?.value as Record<string, string> | undefined;
  return /^0(\d{15})$/.exec(items?.f6 ?? '')?.[1];
}

function lockContent(frame: Jt808Frame, session: TrackerSession): Content {
  const record = lockReportOf(frame.body, frame.type === 0x5502, session);
  const answer = frame.isAnswerWanted ? lockAnswer(frame) : {};
  return record ? { records: [record], ...answer } : { records: [], problem: 'The location is too short.', ...answer };
}

/** Some put battery 1, signal 1 and status 1 into a heartbeat. */
function heartbeatOf(body: Buffer): Content {
  if (body.length < 3 || body[0]! > 100) return { records: [] };
  const draft = newDraft();
  draft.batteryPct = body[0];
  draft.gsmSignal = body[1];
  return one(draft);
}

/** The code that registering gave, or another secret. Since 2019: length 1, code, IMEI 15, version 20. */
function authenticationOf({ body, version, id }: Jt808Frame): Content {
  if (version === undefined) return keyed(textOf(body), id, []);
  const end = 1 + (body[0] ?? 0);
  const imei = body.toString('latin1', end, end + 15);
  const isImei = /^\d{15}$/.test(imei);
  const draft = newDraft();
  read(
    draft,
    'firmware',
    body
      .toString('latin1', end + 15, end + 35)
      .replace(/\0/g, '')
      .trim(),
  );
  const names = identitiesOf(id);
  return {
    ...keyed(body.toString('latin1', 1, end), id, saysSomething(draft) ? [draft] : []),
    ...(isImei && !names.includes(imei) ? { identities: [...names, imei] } : {}),
  };
}

/** The code that everybody is given is no secret. */
const keyed = (key: string, id: string, records: Content['records']): Content =>
  key === '' || key === id ? { records } : { key, records };

/** Type 2, maker 5, model 20, terminal 7, number of the card 10, versions. */
function attributesOf(body: Buffer): RecordDraft | undefined {
  if (body.length < 44) return undefined;
  const draft = newDraft();
  const iccid = body.toString('hex', 34, 44).replace(/f+$/, '');
  if (/^\d{19,20}$/.test(iccid)) read(draft, 'iccid', iccid);
  return draft;
}

/** Battery 1, time 6. */
function shortStatusOf(body: Buffer, session: TrackerSession): RecordDraft {
  const draft = newDraft();
  draft.batteryPct = body[0]! <= 100 ? body[0] : undefined;
  draft.timestamp = timeAt(body, 1, session);
  return draft;
}

/** Whether the card was put in 1, time 6, result 1, length 1, name, number of the card 20. */
function driverOf(body: Buffer, session: TrackerSession): RecordDraft | undefined {
  if (body.length < 9) return undefined;
  const draft = newDraft();
  draft.timestamp = timeAt(body, 1, session);
  const end = 9 + body[8]!;
  read(draft, 'driver', textOf(body.subarray(9, end)).trim());
  read(
    draft,
    'driver_id',
    body
      .toString('latin1', end, end + 20)
      .replace(/\0/g, '')
      .trim(),
  );
  return draft;
}
