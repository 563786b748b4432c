import type { AlarmWord } from '../alarm-words.ts';
import { u8, u16 } from '../bytes.ts';
import { macAt, type RecordDraft, read, readCells, readWifi } from '../record/networks.ts';
import type { TrackerSession } from '../tracker.ts';
import { readCameraItem, readExtended, readNested, readObd, readTags, readTyres } from './vendor-items.ts';

/** Decodes the value of an item into a draft; false if its length is unexpected, so that the raw value is stored. */
type ItemReader = (draft: RecordDraft, value: Buffer, session: TrackerSession) => boolean | undefined;

/** Identifier 1, length 1, value. */
export function readItems(draft: RecordDraft, body: Buffer, from: number, session: TrackerSession): void {
  let unknown: Record<string, string> | undefined;
  for (let at = from; at + 2 <= body.length; ) {
    const id = body[at]!;
    // The item of an OBD adapter extends to the end of the message, regardless of its length.
    const end = id === 0x80 ? body.length : at + 2 + body[at + 1]!;
    if (end > body.length) break;
    const value = body.subarray(at + 2, end);
    if (!readItem(draft, id, value, session)) {
      unknown ??= {};
      unknown[id.toString(16).padStart(2, '0')] = value.toString('hex');
    }
    at = end;
  }
  if (unknown) read(draft, 'vendor_items', unknown);
}

function readItem(draft: RecordDraft, id: number, value: Buffer, session: TrackerSession): boolean {
  const reader = ITEMS.get(id);
  return reader !== undefined && reader(draft, value, session) !== false;
}

/** Adds an alarm that is active as long as the device reports it. */
const stands = (draft: RecordDraft, alarm: AlarmWord) => {
  if (!draft.standingAlarms?.includes(alarm)) draft.standingAlarms = [...(draft.standingAlarms ?? []), alarm];
};

const raise = (draft: RecordDraft, alarm: AlarmWord | undefined) => {
  if (alarm !== undefined && !draft.alarms?.includes(alarm)) draft.alarms = [...(draft.alarms ?? []), alarm];
};

/** A reading with an unsigned number of this many bytes, divided by `per`. */
const number =
  (type: string, bytes: 1 | 2 | 4, per = 1): ItemReader =>
  (draft, value) => {
    if (value.length !== bytes) return false;
    read(draft, type, value.readUIntBE(0, bytes) / per);
  };

/** A field of the record itself. */
const field =
  (name: 'gsmSignal' | 'sats' | 'batteryVoltage', bytes: 1 | 2, per = 1): ItemReader =>
  (draft, value) => {
    if (value.length !== bytes) return false;
    draft[name] = value.readUIntBE(0, bytes) / per;
  };

const text =
  (type: string): ItemReader =>
  (draft, value) =>
    void read(draft, type, value.toString('latin1').replace(/\0/g, '').trim());

/** Battery percentage; 255 while charging. */
const batteryPct: ItemReader = (draft, value) => {
  if (value.length !== 1) return false;
  if (value[0] === 0xff) draft.isCharging = true;
  else draft.batteryPct = value[0];
  return true;
};

const wifi: ItemReader = (draft, value) => {
  if (value.length === 0 || value.length % 7 !== 0) return value.length === 0;
  readWifi(
    draft,
    Array.from({ length: value.length / 7 }, (_, index) => ({
      mac: macAt(value, index * 7),
      rssi: value.readInt8(index * 7 + 6),
    })),
  );
  return true;
};

const ITEMS: ReadonlyMap<number, ItemReader> = new Map<number, ItemReader>([
  [0x01, number('odometer_m', 4, 0.01)],
  [
    0x02,
    (draft, value) => {
      const fuel = u16(value, 0);
      if (fuel === undefined) return false;
      if (fuel & 0x8000) read(draft, 'fuel_pct', fuel & 0x7fff);
      else read(draft, 'fuel_l', fuel / 10);
    },
  ],
  [0x03, number('obd_speed', 2, 10)],
  [0x04, number('event_code', 2)],
  [0x06, batteryPct],
  // Location of speeding; the alarm bits report the speeding itself.
  [0x11, () => true],
  [
    0x12,
    (draft, value) => {
      if (value.length < 6) return false;
      read(draft, 'fence', value.readUInt32BE(1));
      // This is more specific than the bit that is sent with it.
      draft.standingAlarms = draft.standingAlarms?.filter((alarm) => alarm !== 'geofence');
      stands(draft, value[5] === 0 ? 'geofenceEnter' : 'geofenceExit');
    },
  ],
  [0x25, number('vehicle_signals', 4)],
  [
    0x2a,
    (draft, value) => {
      const bits = u16(value, 0);
      if (bits === undefined) return false;
      read(draft, 'deep_sleep', (bits & 1) !== 0);
      read(draft, 'sleep', (bits & 2) !== 0);
    },
  ],
  [0x2b, analog],
  [0xa7, analog],
  [0x30, field('gsmSignal', 1)],
  [0x31, field('sats', 1)],
  [
    0x33,
    (draft, value) => {
      // Status of a lock: *M00, length, then two characters and hundredths of volts.
      const status = value.toString('latin1');
      const volts = status.startsWith('*M00') ? /^\d{3}/.exec(status.slice(10))?.[0] : undefined;
      if (volts === undefined) return false;
      draft.batteryVoltage = Number(volts) / 100;
    },
  ],
  [
    0x51,
    (draft, value) => {
      if (value.length === 0 || value.length % 2 !== 0) return false;
      for (let at = 0; at < value.length; at += 2) {
        const tenths = value.readUInt16BE(at);
        const type = at === 0 ? 'temp' : `temp${at / 2 + 1}`;
        if (tenths !== 0xffff) read(draft, type, (tenths & 0x8000 ? -(tenths & 0x7fff) : tenths) / 10);
      }
    },
  ],
  [0x53, cells53],
  [
    0x56,
    (draft, value) => {
      const tens = u8(value, 0);
      if (tens === undefined || tens > 10) return false;
      draft.batteryPct = tens * 10;
    },
  ],
  [
    0x57,
    (draft, value) => {
      const bits = u16(value, 0);
      if (bits === undefined || value.length !== 8) return false;
      if (bits & 0x100) raise(draft, 'harshAcceleration');
      if (bits & 0x200) raise(draft, 'harshBraking');
      if (bits & 0x400) raise(draft, 'harshCornering');
      if (value.readUInt32BE(4) & 0x10000) stands(draft, 'door');
    },
  ],
  [0x61, number('ext_voltage', 2, 100)],
  [
    0x63,
    (draft, value) => {
      if (value.length === 0 || value.length % 11 !== 0) return false;
      for (let at = 0; at < value.length; at += 11)
        draft.tagReadings = [
          ...(draft.tagReadings ?? []),
          {
            sensorDeviceId: macAt(value, at),
            type: 'battery_voltage',
            value: value.readUInt16BE(at + 6) / 1000,
          },
          { sensorDeviceId: macAt(value, at), type: 'sealed', value: value[at + 8] === 0x31 },
        ];
    },
  ],
  [0x69, field('batteryVoltage', 2, 100)],
  [
    0x70,
    (draft, value) => {
      const kind = u8(value, 5);
      if (kind === 1) raise(draft, 'harshAcceleration');
      else if (kind === 2) raise(draft, 'harshBraking');
      else if (kind === 3) raise(draft, 'harshCornering');
      else if (kind === 0x16) raise(draft, 'crash');
      else return false;
    },
  ],
  [0x77, readTyres],
  [0x80, (draft, value) => readObd(draft, value.subarray(1))],
  [0x82, number('ext_voltage', 2, 10)],
  [0x94, text('vin')],
  [0xac, number('odometer_m', 4)],
  [0xbc, text('driver')],
  [0xbd, text('driver_id')],
  [0xcc, text('iccid')],
  [0xce, number('ext_voltage', 2, 100)],
  [
    0xd0,
    (draft, value) => {
      if (value.length !== 4) return false;
      if (value.readUInt32BE(0) & 8) stands(draft, 'vibration');
    },
  ],
  [0xd3, number('ext_voltage', 2, 10)],
  [0xd4, batteryPct],
  [0xd5, field('batteryVoltage', 2, 100)],
  [
    0xe1,
    (draft, value) => {
      if (value.length === 1) return batteryPct(draft, value, NO_SESSION);
      if (value.length === 2) return number('ext_voltage', 2, 10)(draft, value, NO_SESSION);
      if (value.length < 12 || (value.length - 4) % 8 !== 0) return false;
      const [mcc, mnc] = [value.readUInt16BE(0), value.readUInt16BE(2)];
      readCells(
        draft,
        Array.from({ length: (value.length - 4) / 8 }, (_, index) => {
          const at = 4 + index * 8;
          return {
            mcc,
            mnc,
            lac: value.readUIntBE(at, 3),
            cid: value.readUInt32BE(at + 3),
            rssi: value.readInt8(at + 7),
          };
        }),
      );
    },
  ],
  [
    0xe3,
    (draft, value) => {
      if (value.length < 4) return false;
      draft.batteryPct = value[1]! <= 100 ? value[1] : undefined;
      draft.batteryVoltage = value.readUInt16BE(2) / 100;
    },
  ],
  [
    0xe4,
    (draft, value) => {
      if (value.length !== 2 || value[1]! > 100) return false;
      if (value[0] === 0) draft.isCharging = true;
      draft.batteryPct = value[1];
    },
  ],
  [
    0xe5,
    (draft, value) => {
      if (value.length !== 1) return false;
      read(draft, 'moving', value[0] === 1);
    },
  ],
  [
    0xe7,
    (draft, value) => {
      if (value.length !== 8) return false;
      const bits = value.readUInt16BE(0);
      if (bits & 1) stands(draft, 'vibration');
      if (bits & 0b1110) stands(draft, 'sos');
    },
  ],
  [0xe8, readCameraItem],
  [0xe9, batteryPct],
  [0xea, readExtended],
  [0xeb, readNested],
  [0xec, wifi],
  [
    0xee,
    (draft, value) => {
      if (value.length === 6) {
        draft.gsmSignal = value[0];
        read(draft, 'ext_voltage', value.readUInt16BE(1) / 1000);
        draft.batteryVoltage = value.readUInt16BE(3) / 1000;
        draft.sats = value[5];
        return true;
      }
      if (value.length !== 10) return false;
      const [mcc, mnc, lac] = [value.readUInt16BE(0), value[2]!, value.readUInt16BE(3)];
      readCells(draft, [{ mcc, mnc, lac, cid: value.readUInt32BE(5) }]);
    },
  ],
  [
    0xf0,
    (draft, value) => {
      if (value.length % 13 !== 0) return false;
      readCells(
        draft,
        Array.from({ length: value.length / 13 }, (_, index) => {
          const at = index * 13;
          return {
            mcc: value.readUInt16BE(at),
            mnc: value.readUInt16BE(at + 2),
            lac: value.readUInt32BE(at + 8),
            cid: value.readUInt32BE(at + 4),
            rssi: value.readInt8(at + 12),
          };
        }),
      );
    },
  ],
  [0xf1, number('ext_voltage', 4, 1000)],
  [0xf2, text('firmware')],
  [0xf3, readTags],
  [0xf4, (draft, value, session) => (value.length === 1 ? false : wifi(draft, value, session))],
  [
    0xf7,
    (draft, value) => {
      if (value.length === 2) read(draft, 'humidity', value.readUInt16BE(0) / 10);
      else if (value.length >= 4) {
        draft.batteryVoltage = value.readUInt32BE(0) / 1000;
        const state = u8(value, 4);
        if (state === 2 || state === 3) draft.isCharging = true;
        draft.batteryPct = u8(value, 5) ?? draft.batteryPct;
      } else return false;
    },
  ],
  [
    0xfe,
    (draft, value) => {
      if (value.length === 1) return batteryPct(draft, value, NO_SESSION);
      if (value.length === 2) return number('ext_voltage', 2, 10)(draft, value, NO_SESSION);
      if (value.length === 4) read(draft, 'odometer_m', value.readUInt32BE(0));
      else return false;
    },
  ],
  [
    0xff,
    (draft, value) => {
      if (value.length !== 12) return false;
      const [mcc, mnc] = [value.readUInt16BE(0), value.readUInt16BE(2)];
      readCells(draft, [{ mcc, mnc, lac: value.readUInt32BE(4), cid: value.readUInt32BE(8) }]);
    },
  ],
]);

const NO_SESSION = {} as TrackerSession;

function analog(draft: RecordDraft, value: Buffer): boolean {
  if (value.length !== 4) return false;
  read(draft, 'ain1', value.readUInt16BE(0) / 100);
  read(draft, 'ain2', value.readUInt16BE(2) / 100);
  return true;
}

/** A count, then country 2, network 1, area 2, cell 2 or 4 and signal 1 for each. */
function cells53(draft: RecordDraft, value: Buffer): boolean {
  const count = u8(value, 0) ?? 0;
  const size = (value.length - 1) / count;
  if (size !== 8 && size !== 10) return false;
  readCells(
    draft,
    Array.from({ length: count }, (_, index) => {
      const at = 1 + index * size;
      return {
        mcc: value.readUInt16BE(at),
        mnc: value[at + 2]!,
        lac: value.readUInt16BE(at + 3),
        cid: value.readUIntBE(at + 5, size - 6),
        rssi: -value[at + size - 1]!,
      };
    }),
  );
  return true;
}
