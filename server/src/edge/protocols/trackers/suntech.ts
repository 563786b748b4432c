import { anyByte, beginsAs, cutFrames, digitByte, exactly, firstSure } from './frame/cut.ts';
import { universalBinary, ZIP, zipReport } from './suntech/binary.ts';
import { DIALECT, encode, UNIVERSAL } from './suntech/commands.ts';
import { cutAt, MAX_FRAME } from './suntech/cut.ts';
import { legacyRecord, record4, record9 } from './suntech/legacy.ts';
import { universalRecord } from './suntech/universal.ts';
import type { DecodedFrame, ReplyPlan, TrackerProtocol, TrackerRecord, TrackerSession } from './tracker.ts';

/** ST300, ST310, ST340, ST400, ST600, ST900; ST4000 and later ("universal"). */

const UNIVERSAL_HEADS = ['STT;', 'ALT;', 'EMG;', 'EVT;', 'ALV;', 'BLE;', 'BSA;', 'RES;', 'UEX;'];
const UNIVERSAL_REPORTS = new Set(['STT', 'ALT', 'EMG', 'EVT', 'BLE', 'UEX']);
const LEGACY_REPORTS = new Set(['STT', 'EMG', 'EVT', 'ALT', 'UEX']);

export const suntech: TrackerProtocol = {
  name: 'suntech',
  wellKnownPort: 5011,
  maxFrameBytes: MAX_FRAME,
  recognise: (start) =>
    firstSure([
      ...['ST', 'SA'].map((model) => beginsAs(start, [...exactly(model), digitByte, digitByte, digitByte])),
      ...UNIVERSAL_HEADS.map((head) => beginsAs(start, [...exactly(head), digitByte])),
      beginsAs(start, [(byte) => byte === ZIP.head, (byte) => byte < 4, anyByte, (byte) => byte === ZIP.location]),
      beginsAs(start, [(byte) => byte === 0x81 || byte === 0x82, (byte) => byte === 0]),
    ]),
  split: (stream) => cutFrames(stream, cutAt),
  decode,
  encode,
  commands: ['position', 'reboot', 'engineStop', 'engineResume', 'output'],
  repliesNameCommand: false,
};

function decode(frame: Buffer, session: TrackerSession): DecodedFrame {
  if (frame[0] === ZIP.head) return decodeZip(frame, session);
  if (frame.length > 1 && frame[1] === 0) {
    const report = universalBinary(frame);
    if (!report) return { records: [], problem: 'The device number is not valid.' };
    return reported(report.id, report.record, UNIVERSAL);
  }
  const text = frame.toString('latin1').replace(/[\r\n]+$/, '');
  const [head = '', second = '', third = ''] = text.split(';', 3);
  if (!/^[A-Z][A-Z0-9]{2,8}$/.test(head)) return { records: [], problem: 'The first field is not valid.' };
  if (head.length < 5) return decodeUniversal(head, second, text);
  const dialect = head.slice(0, 5);
  // ST900 has the report type in its own field.
  if (head.startsWith('ST9')) return named(third, second, dialect, record9(second, text), session);
  const type = head.slice(5);
  if (second === 'Res') return { ...identityOf(third, dialect), records: [], commandReply: replyOf(text, 3) };
  if (head.startsWith('ST4')) return named(second, type, dialect, record4(type, text), session);
  if (type === 'HTE') return decodeTrip(second, dialect, text);
  if (!LEGACY_REPORTS.has(type)) return named(second, type, dialect, undefined, session);
  return named(second, type, dialect, legacyRecord(type, text), session);
}

function decodeUniversal(type: string, id: string, text: string): DecodedFrame {
  if (type === 'RES') return { ...identityOf(id, UNIVERSAL), records: [], commandReply: replyOf(text, 2) };
  if (!UNIVERSAL_REPORTS.has(type))
    return {
      ...identityOf(id, UNIVERSAL),
      records: [],
      ...(type === 'ALV' ? {} : { problem: `${type} is not supported.` }),
    };
  return reported(id, universalRecord(type, text), UNIVERSAL);
}

/** Devices repeat reports by UDP after two minutes without confirmation, if configured so. */
function named(
  id: string,
  type: string,
  dialect: string,
  record: TrackerRecord | undefined,
  { transport }: TrackerSession,
): DecodedFrame {
  const when = record ? 'afterDurable' : 'now';
  const reply: ReplyPlan = { when, bytes: Buffer.from(`${dialect}ACK;${id}\r`, 'latin1') };
  const isReport = record !== undefined || type === 'ALV';
  const answered = transport === 'udp' && isReport ? { reply } : {};
  if (record || type === 'ALV') return { ...identityOf(id, dialect), records: record ? [record] : [], ...answered };
  return { ...identityOf(id, dialect), records: [], problem: `${type || 'The report'} is not supported.` };
}

function decodeZip(frame: Buffer, { transport }: TrackerSession): DecodedFrame {
  const report = zipReport(frame);
  if (!report) return { records: [], problem: 'The device number is not valid.' };
  const bytes = Buffer.concat([Buffer.from([0x15]), frame.subarray(4, 9)]);
  const reply: ReplyPlan = { when: 'afterDurable', bytes };
  return { ...reported(report.id, report.record, 'ST300'), ...(transport === 'udp' && report.record ? { reply } : {}) };
}

const reported = (id: string, record: TrackerRecord | undefined, dialect: string): DecodedFrame => ({
  ...identityOf(id, dialect),
  records: record ? [record] : [],
  ...(record ? {} : { problem: 'The report is not supported.' }),
});

/** The end of a trip: the driver is its last field. */
function decodeTrip(id: string, dialect: string, text: string): DecodedFrame {
  const driver = text.slice(text.lastIndexOf(';') + 1);
  const isKnown = /^[0-9A-F]{8,}$/i.test(driver) && !/^0+$/.test(driver);
  const records = isKnown ? [{ isValid: false, readings: [{ type: 'driver_id', value: driver }] }] : [];
  return { ...identityOf(id, dialect), records };
}

const identityOf = (id: string, dialect: string): Omit<DecodedFrame, 'records'> => ({
  ...(/^\d{4,15}$/.test(id) ? { identities: [id] } : {}),
  remember: { [DIALECT]: dialect },
});

const replyOf = (text: string, from: number) => ({ text: text.split(';').slice(from).join(';').trim() });
