import { textOf } from '../text/readings.ts';
import { readable } from '../text/utf8.ts';
import type { DecodedFrame, ReplyPlan, TrackerSession } from '../tracker.ts';
import { type Checked, withoutChecksum } from './checksum.ts';
import { LONG_FIELDS, messageOf, SHORT_FIELDS } from './message.ts';

const LINE = /^(?:(\d\.\d);([^#;\s]{1,40})|(\d{8,20}))?#([A-Z]{1,3})#(.*)$/s;
const VERSION_WITH_CHECKSUM = /^[2-9]\./;
const MOST_MESSAGES = 4096;

/** `#TYPE#body`, read byte by byte. */
export function decodeLine(line: string, session: TrackerSession): DecodedFrame {
  const [, version, named, bare, type, body] = LINE.exec(line) ?? [];
  if (type === undefined) return { records: [], problem: 'not a message' };
  const known = version ?? session.memory.version;
  const isChecked = typeof known === 'string' && VERSION_WITH_CHECKSUM.test(known);
  const decoded = bodyOf(type, body!, isChecked, session.acceptsWrongChecksum);
  const imei = named ?? bare;
  return imei === undefined ? decoded : { identities: [imei], ...decoded };
}

function bodyOf(type: string, body: string, isChecked: boolean, acceptsWrong: boolean): DecodedFrame {
  switch (type) {
    case 'L':
      return login(body, acceptsWrong);
    case 'SD':
      return single(type, checked(body, SHORT_FIELDS, isChecked), acceptsWrong);
    case 'D':
      return single(type, checked(body, LONG_FIELDS, isChecked), acceptsWrong);
    case 'B':
      return blackBox(body, isChecked, acceptsWrong);
    case 'P':
      return { records: [], reply: answer('AP', '', 'now') };
    case 'M':
      return driverMessage(isChecked ? withoutChecksum(body, ';') : unchecked(body), acceptsWrong);
    case 'AM':
      return { records: [], commandReply: { text: textOf(body), isFailure: body.trim().startsWith('0') } };
    case 'I':
      return picture(body);
    default:
      return { records: [], problem: `unknown type ${type}` };
  }
}

const answer = (type: string, body: string | number, when: ReplyPlan['when'], refusal?: string): ReplyPlan => ({
  when,
  bytes: Buffer.from(`#${type}#${body}\r\n`),
  ...(refusal === undefined ? {} : { refusal: Buffer.from(refusal) }),
});

const DAMAGED: DecodedFrame = { records: [], isDamaged: true };

const unchecked = (body: string): Checked => ({ body, isWrong: false });

/** A field more than the form has is the checksum, whatever the login said. */
function checked(body: string, fields: number, isChecked: boolean): Checked {
  const given = body.split(';').length;
  const hasChecksum = given === fields + 1 || (isChecked && given !== fields);
  return hasChecksum ? withoutChecksum(body, ';') : unchecked(body);
}

/** `imei;password`, or `2.0;imei;password;checksum`. NA: no password. */
function login(body: string, acceptsWrong: boolean): DecodedFrame {
  const first = body.split(';')[0]!.trim();
  const isNewer = /^\d\.\d$/.test(first);
  const { body: inner, isWrong } = isNewer ? withoutChecksum(body, ';') : unchecked(body);
  const [imei = '', password = ''] = inner
    .split(';')
    .slice(isNewer ? 1 : 0)
    .map((field) => field.trim());
  if (isWrong && !acceptsWrong) return DAMAGED;
  if (!/^[\x21-\x7e]{1,50}$/.test(imei)) return { records: [], problem: 'a login without a number' };
  return {
    identities: [imei],
    ...(password === '' || password === 'NA' ? {} : { key: readable(password).slice(0, 200) }),
    records: [],
    ...(isNewer ? { remember: { version: first } } : {}),
    reply: answer('AL', 1, 'now', '#AL#0\r\n'),
  };
}

function single(type: 'D' | 'SD', { body, isWrong }: Checked, acceptsWrong: boolean): DecodedFrame {
  if (isWrong && !acceptsWrong) return DAMAGED;
  const { record, verdict } = messageOf(body);
  return {
    records: record ? [record] : [],
    reply: answer(`A${type}`, verdict, 'afterDurable'),
    ...(record ? {} : { problem: `a message that can't be read (${verdict})` }),
  };
}

/** What was kept while there was no connection. All of it is confirmed, what can't be read as well: else it comes again. */
function blackBox(body: string, isChecked: boolean, acceptsWrong: boolean): DecodedFrame {
  const last = body.slice(body.lastIndexOf('|') + 1);
  const hasChecksum = isChecked || /^\s*[0-9a-f]{1,4}\s*$/i.test(last);
  const { body: inner, isWrong } = hasChecksum ? withoutChecksum(body, '|') : unchecked(body);
  if (isWrong && !acceptsWrong) return DAMAGED;
  const bodies = inner
    .split('|')
    .filter((each) => each.trim() !== '')
    .slice(0, MOST_MESSAGES);
  const records = bodies.flatMap((each) => messageOf(each).record ?? []);
  const unread = bodies.length - records.length;
  return {
    records,
    reply: answer('AB', bodies.length, 'afterDurable'),
    ...(unread > 0 ? { problem: `${unread} messages that can't be read` } : {}),
  };
}

function driverMessage({ body, isWrong }: Checked, acceptsWrong: boolean): DecodedFrame {
  if (isWrong && !acceptsWrong) return DAMAGED;
  return { records: [], commandReply: { text: textOf(readable(body)) }, reply: answer('AM', 1, 'afterDurable') };
}

/** `size;index;…` and the bytes of a part of a picture. It is confirmed, or it would come for ever. */
function picture(body: string): DecodedFrame {
  const [, index = '0'] = body.slice(0, 100).split(';');
  return {
    records: [],
    problem: 'pictures are not kept',
    reply: answer('AI', `${/^\d{1,6}$/.test(index) ? index : 0};1`, 'afterDurable'),
  };
}
