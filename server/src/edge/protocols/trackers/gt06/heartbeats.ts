import { i16, u8, u16 } from '../bytes.ts';
import { read } from '../record/draft.ts';
import type { Gt06Reader } from './message.ts';
import { readModules } from './modules.ts';
import { hundredths, readBattery, readStatus, readStatusBlock, STATUS_BYTES } from './status.ts';

/** 13. What it says of an alarm is a state, as it is repeated with each heartbeat. */
export const read13: Gt06Reader = (draft, { content, session }) => {
  const { model = '' } = session;
  if (content.length === 16) {
    draft.batteryPct = u8(content, 5);
    const value = content.readUInt16BE(14);
    read(draft, 'temp', (value & 0x8000 ? 1 : -1) * ((value & 0x7fff) / 10));
    return true;
  }
  if (content.length === 14) {
    readStatus(draft, content[0]);
    const signal = content.readUInt16BE(1);
    draft.sats = ((signal >> 10) & 31) + ((signal >> 5) & 31);
    draft.gsmSignal = signal & 31;
    draft.batteryPct = content[5]!;
    read(draft, 'ext_voltage', content.readUInt16BE(7) / 100);
    if (content[6] === 4) read(draft, 'temp', i16(content, 12)! / 10);
    return true;
  }
  if (content.length < 3) return false;
  if (/^R11$/i.test(model)) {
    readStatus(draft, content[0]);
    read(draft, 'ext_voltage', hundredths(u16(content, 1)));
    draft.gsmSignal = u8(content, 3);
  } else if (/^LW/i.test(model) || isVoltage(content)) {
    readStatus(draft, content[0]);
    readBattery(draft, content[1]);
    draft.gsmSignal = content[2];
    read(draft, 'ext_voltage', ((u16(content, 3) ?? Number.NaN) & 0xfff) / 10);
  } else {
    readStatusBlock(draft, content, 0, model);
    if (content.length === STATUS_BYTES + 2) read(draft, 'ext_voltage', hundredths(u16(content, STATUS_BYTES)));
  }
  draft.standingAlarms = draft.alarms ?? draft.standingAlarms;
  draft.alarms = undefined;
  return true;
};

/** Some put a voltage where alarm and language are, marked by a high nibble that no language has. */
const isVoltage = (content: Buffer) => content.length === STATUS_BYTES && content[3]! >= 0xf0 && content[4]! > 2;

/** 23: status 1, voltage of the battery 2, signal 1. */
export const read23: Gt06Reader = (draft, { content }) => {
  readStatus(draft, u8(content, 0));
  draft.batteryVoltage = hundredths(u16(content, 1));
  draft.gsmSignal = u8(content, 3);
  return content.length > 0;
};

/** 36: as 13, then modules. */
export const read36: Gt06Reader = (draft, { content, session }) => {
  if (content.length < STATUS_BYTES) return false;
  readStatusBlock(draft, content, 0, session.model);
  draft.standingAlarms = draft.alarms ?? draft.standingAlarms;
  draft.alarms = undefined;
  readModules(draft, content, STATUS_BYTES, 1);
  return true;
};

/** A3 of a length of 12 or 24 bytes: steps, battery and whether it moves. */
export const readStepStatus: Gt06Reader = (draft, { content, session }) => {
  if (content.length < 7) return false;
  readStatus(draft, content[0]);
  if (content.length < 19) {
    readStatusBlock(draft, content, 0, session.model);
    return true;
  }
  draft.gsmSignal = content[4];
  read(draft, 'steps', content.readUInt32BE(9));
  draft.batteryPct = content[13];
  draft.isCharging = content[14] === 1;
  read(draft, 'moving', content[15] === 1);
  return true;
};
