import { gatewayReading } from '@trackway/contract/resources/gateway-reading.ts';
import { point } from '@trackway/contract/resources/point.ts';
import type { Noun } from '@trackway/contract/schema.ts';
import { type StreamEvent, streamEnd, streamEvent } from '../../platform/live/event.ts';
import type { Source } from '../../platform/live/hub.ts';
import { columnsOf, presentRow, type Row } from '../../platform/storage/shape.ts';
import type { LiveEventRow } from '../schema/rows/tracking-rows.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Store } from '../schema/tables.ts';
import { ALL_DEVICES, type DeviceChange, type ReportedEvent } from './append-live-events.ts';
import { type Audience, type Audiences, isWanted, rightIn, type Who } from './audience.ts';
import { forgottenOf } from './forget.ts';

export type Entry = Omit<LiveEventRow, 'id'> & { readonly id: number };
type AudienceOf = (deviceId: number) => Audience | undefined;

const AT_ONCE = 500;

/** The live log as a source of events, filtered by who may see them. */
export function liveSource(store: Store, audiences: Audiences): Source<Entry, Who> {
  const newest = store.prepare<{ id: number | null }>('live.head', 'SELECT MAX("id") AS "id" FROM "liveEvents"');
  const between = store.prepare<Entry>(
    'live.between',
    'SELECT * FROM "liveEvents" WHERE "id" > ? AND "id" <= ? ORDER BY "id" LIMIT ?',
  );
  const forgotten = forgottenOf(store);
  const points = textsOf(store, 'points', point);
  const readings = textsOf(store, 'gatewayReadings', gatewayReading);

  async function eventsOf(entries: readonly Entry[]): Promise<Map<number, StreamEvent[]>> {
    const heard = new Map<number, ReportedEvent>();
    for (const { id, kind, event } of entries) if (kind === 'heard') heard.set(id, JSON.parse(event));
    const all = [...heard.values()];
    const pointTexts = await points(all.flatMap((one) => one.points ?? []));
    const readingTexts = await readings(all.flatMap((one) => one.readings ?? []));
    return new Map(
      entries.map((entry) => {
        const one = heard.get(entry.id);
        return [entry.id, one ? heardEvents(entry, one, pointTexts, readingTexts) : [plainEvent(entry)]];
      }),
    );
  }

  return {
    head: async () => (await newest.get())?.id ?? (await forgotten()),
    forgotten,
    between: (after, upTo, limit) => between.all(after, upTo, limit),

    async prepare(entries, readers) {
      for (const { kind, deviceId } of entries) if (kind === 'access') audiences.forget(deviceId);
      const named = readers.flatMap(({ devices, staysOpen }) =>
        devices && !staysOpen && devices.size < AT_ONCE ? [...devices] : [],
      );
      const audienceOf = await audiences.of([
        ...entries.flatMap(({ deviceId, otherDeviceId }) => (otherDeviceId ? [deviceId, otherDeviceId] : [deviceId])),
        ...named,
      ]);
      const seen = entries.filter(
        (entry) => entry.kind !== 'access' && readers.some((who) => sees(who, entry, audienceOf)),
      );
      const events = await eventsOf(seen);
      return (who) => eventsFor(who, entries, events, audienceOf);
    },
  };
}

function* eventsFor(
  who: Who,
  entries: readonly Entry[],
  events: ReadonlyMap<number, StreamEvent[]>,
  audienceOf: AudienceOf,
): Generator<StreamEvent> {
  for (const entry of entries) {
    if (entry.kind === 'access') {
      if (entry.deviceId === ALL_DEVICES && entry.userId === who.caller.userId)
        yield streamEnd({ entry: entry.id, index: 0 });
      else if (concerns(who, entry, audienceOf)) yield accessEvent(who, entry, audienceOf);
      continue;
    }
    const made = events.get(entry.id);
    if (made && sees(who, entry, audienceOf)) yield* made;
  }
}

const rightOn = (who: Who, deviceId: number, audienceOf: AudienceOf) => {
  const audience = audienceOf(deviceId);
  return isWanted(who, deviceId) && !audience?.isDeleted ? rightIn(audience, who.caller) : undefined;
};

function sees(who: Who, { userId, deviceId, otherDeviceId }: Entry, audienceOf: AudienceOf): boolean {
  if (userId !== null && userId !== who.caller.userId && !who.caller.admin) return false;
  if (rightOn(who, deviceId, audienceOf) !== undefined) return true;
  return otherDeviceId !== null && rightOn(who, otherDeviceId, audienceOf) !== undefined;
}

/** Whether a change of who may see a device concerns this reader: their own share, or a device they could see. */
function concerns(who: Who, { userId, deviceId }: Entry, audienceOf: AudienceOf): boolean {
  if (!isWanted(who, deviceId)) return false;
  return userId === null ? rightIn(audienceOf(deviceId), who.caller) !== undefined : userId === who.caller.userId;
}

function accessEvent(who: Who, { id, deviceId }: Entry, audienceOf: AudienceOf): StreamEvent {
  const right = rightOn(who, deviceId, audienceOf) ?? null;
  // A stream of certain devices ends once none of them is visible.
  const isLast =
    who.devices !== undefined && !who.staysOpen && ![...who.devices].some((one) => rightOn(who, one, audienceOf));
  const data = JSON.stringify({ deviceId, right });
  return streamEvent({ entry: id, index: 0 }, 'access', data, { isLast, about: [deviceId] });
}

const aboutOf = ({ deviceId, otherDeviceId }: Pick<Entry, 'deviceId' | 'otherDeviceId'>) =>
  otherDeviceId === null ? [deviceId] : [deviceId, otherDeviceId];

const plainEvent = (entry: Entry) =>
  streamEvent({ entry: entry.id, index: 0 }, entry.kind, entry.event, { about: aboutOf(entry) });

/** Points, then readings, then changes of the device. Rows deleted meanwhile are left out. */
function heardEvents(
  { id, deviceId, otherDeviceId }: Entry,
  { points = [], readings = [], device }: ReportedEvent,
  pointTexts: ReadonlyMap<number, string>,
  readingTexts: ReadonlyMap<number, string>,
): StreamEvent[] {
  const events: StreamEvent[] = [];
  const about = aboutOf({ deviceId, otherDeviceId });
  let index = 0;
  for (const key of points) {
    const text = pointTexts.get(key);
    if (text)
      events.push(streamEvent({ entry: id, index }, 'position', text, { newestOf: `position ${deviceId}`, about }));
    index++;
  }
  for (const key of readings) {
    const text = readingTexts.get(key);
    if (text) events.push(streamEvent({ entry: id, index }, 'reading', text, { about }));
    index++;
  }
  // A change of the same fields replaces an older one; changes of other fields stay valid.
  const newestOf = device && `device ${deviceId} ${Object.keys(device)}`;
  if (device) events.push(streamEvent({ entry: id, index }, 'device', newsText(deviceId, device), { newestOf, about }));
  return events;
}

const newsText = (id: number, { lastConnection, ...news }: DeviceChange) =>
  JSON.stringify({
    id,
    ...(lastConnection !== undefined && { lastConnection: new Date(lastConnection).toISOString() }),
    ...news,
  });

/** Returns rows of a noun by their ids, in the format of the API. */
function textsOf(store: Store, table: string, noun: Noun): (ids: readonly number[]) => Promise<Map<number, string>> {
  const shape = shapeOf(noun);
  const columns = shape
    .flatMap(columnsOf)
    .map((column) => `"${column}"`)
    .join(', ');
  const listed =
    store.storeKind === 'postgres'
      ? "= ANY(string_to_array(?, ',')::bigint[])"
      : "IN (SELECT value FROM json_each('[' || ? || ']'))";
  const read = store.prepare<Row>(`live.${table}`, `SELECT ${columns} FROM "${table}" WHERE "id" ${listed}`);
  return async (ids) => {
    const texts = new Map<number, string>();
    for (let start = 0; start < ids.length; start += AT_ONCE) {
      for (const row of await read.all(ids.slice(start, start + AT_ONCE).join(',')))
        texts.set(row.id as number, JSON.stringify(presentRow(shape, row)));
    }
    return texts;
  };
}
