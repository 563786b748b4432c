import { message as messageNoun } from '@trackway/contract/resources/message.ts';
import { presentRow, type Row } from '../../platform/storage/shape.ts';
import { ALL } from '../positions/over-readings.ts';
import { packedPosition } from '../positions/pack.ts';
import { packedReading } from '../positions/pack-readings.ts';
import { PACKED_CELLS } from '../positions/packed-positions.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Tx } from '../schema/tables.ts';
import type { Forwarder } from './forwarders.ts';
import { decidingPoint, type EnvelopeMessage, presentReading, type StoredNotification } from './presented.ts';

/** What happened to one device in one transaction, as far as it may have to be sent. */
export interface ToSend {
  readonly deviceId: number;
  readonly forwarders: readonly Forwarder[];
  /** Stored just now. */
  readonly points?: readonly (object & { readonly id: number; readonly timestamp: number })[];
  readonly readings?: readonly SentReading[];
  /** Messages from the device, as the API shows them. */
  readonly messages?: readonly object[];
  readonly notifications?: readonly StoredNotification[];
  /** Notifications that were retracted. */
  readonly retracted?: readonly { readonly id: number; readonly status: string; readonly reason: string }[];
}

export interface SentReading {
  readonly id: number;
  readonly timestamp: number;
  readonly type: string;
  readonly gatewayId: number | null;
  readonly deviceId: number | null;
  readonly datapointId: number | null;
}

/** What messages are about: devices, and the position, reading or message that caused a notification. */
export interface Subjects {
  device(deviceId: number): { readonly id: number; readonly imei: string | null; readonly name: string };
  /** The device in the form for subscribers of the broker. */
  named(deviceId: number): { readonly id: number; readonly name: string; readonly serial: string | null };
  /** What caused a notification, under the name that the message has for it. */
  of(notification: StoredNotification): Pick<EnvelopeMessage, 'datapoint' | 'reading' | 'message'>;
}

const messageShape = shapeOf(messageNoun);
const AT_ONCE = 500;

/** Points of this transaction are taken from the outgoing data; everything else is read. */
export async function readSubjects(tx: Tx, outgoing: readonly ToSend[], now: number): Promise<Subjects> {
  const devices = new Map<number, { id: number; imei: string | null; name: string }>();
  const serials = new Map<number, string | null>();
  await inChunks(
    outgoing.map(({ deviceId }) => deviceId),
    async (ids) => {
      const rows = await tx
        .selectFrom('devices')
        .select(['id', 'imei', 'name', 'serial'])
        .where('id', 'in', ids)
        .execute();
      for (const { id, imei, name, serial } of rows) {
        devices.set(id, { id, imei, name: name ?? `Device ${id}` });
        serials.set(id, serial);
      }
    },
  );
  const deviceIds = [...devices.keys()];
  const notifications = outgoing.flatMap((one) => one.notifications ?? []);
  const points = new Map<number, object>();
  const readings = new Map<number, object>();
  const messages = new Map<number, object>();
  if (notifications.length > 0) {
    const wanted = idsOf(notifications, 'pointId');
    for (const one of outgoing)
      for (const point of one.points ?? [])
        if (wanted.delete(point.id)) points.set(point.id, storedPoint(point, one.deviceId, now));
    await inChunks([...wanted], async (ids) => {
      for (const row of await tx.selectFrom('points').selectAll().where('id', 'in', ids).execute())
        points.set(row.id, row);
    });
    for (const { pointId, deviceId } of notifications) {
      if (pointId === null || points.has(pointId)) continue;
      const packed = await packedPosition(tx, deviceId, pointId, PACKED_CELLS);
      if (packed) points.set(pointId, { ...packed, deviceId });
    }
    await inChunks([...idsOf(notifications, 'readingId')], async (ids) => {
      for (const row of await tx.selectFrom('gatewayReadings').selectAll().where('id', 'in', ids).execute())
        readings.set(row.id, row);
    });
    for (const { readingId, deviceId } of notifications) {
      if (readingId === null || readings.has(readingId)) continue;
      const packed =
        (await packedReading(tx, { deviceId }, readingId, ALL)) ??
        (await packedReading(tx, { gatewayId: deviceId }, readingId, ALL));
      if (packed) readings.set(readingId, packed);
    }
    await inChunks([...idsOf(notifications, 'messageId')], async (ids) => {
      const ofDevices = tx.selectFrom('messages').selectAll().where('deviceId', 'in', deviceIds);
      for (const row of await ofDevices.where('id', 'in', ids).execute()) messages.set(row.id, row);
    });
  }
  return {
    named: (id) => ({ id, name: devices.get(id)?.name ?? `Device ${id}`, serial: serials.get(id) ?? null }),
    device: (deviceId) => devices.get(deviceId) ?? { id: deviceId, imei: null, name: `Device ${deviceId}` },
    of(notification) {
      const { pointId, readingId, messageId } = notification;
      const [point, reading, message] = [
        points.get(pointId ?? 0),
        readings.get(readingId ?? 0),
        messages.get(messageId ?? 0),
      ];
      return {
        ...(point && { datapoint: decidingPoint(point, notification) }),
        ...(reading && { reading: presentReading(reading) }),
        ...(message && { message: presentRow(messageShape, message as Row) }),
      };
    },
  };
}

/** A point or reading that was just appended, with the other columns of its row. */
export const storedPoint = (point: object, deviceId: number, now: number) => ({ ...point, deviceId, created: now });
export const storedReading = (reading: SentReading, now: number) => ({ ...reading, created: now });

function idsOf(rows: readonly StoredNotification[], column: 'pointId' | 'readingId' | 'messageId'): Set<number> {
  return new Set(rows.flatMap((row) => row[column] ?? []));
}

async function inChunks(ids: readonly number[], work: (ids: number[]) => Promise<void>): Promise<void> {
  for (let start = 0; start < ids.length; start += AT_ONCE) await work(ids.slice(start, start + AT_ONCE));
}
