import { gatewayReading } from '@trackway/contract/resources/gateway-reading.ts';
import { point } from '@trackway/contract/resources/point.ts';
import type { Noun } from '@trackway/contract/schema.ts';
import { type LogEvent, logEnd, logEvent } from '../../platform/live/event.ts';
import type { Source } from '../../platform/live/source.ts';
import { columnsOf, presentRow, type Row } from '../../platform/storage/shape.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Store } from '../schema/tables.ts';
import { ALL_DEVICES } from './append-live-events.ts';
import { type Audience, type Audiences, isWanted, rightIn, type Who } from './audience.ts';
import { type DeviceChange, type ReportedEvent, readHeard } from './heard-text.ts';
import type { Entry, LiveLog } from './log.ts';

type AudienceOf = (deviceId: number) => Audience | undefined;

const AT_ONCE = 500;

/** The live log as a source of events, filtered by who may see them. */
export function liveSource(store: Store, log: LiveLog, audiences: Audiences): Source<Entry, Who> {
  const points = textsOf(store, 'points', point);
  const readings = textsOf(store, 'gatewayReadings', gatewayReading);

  async function eventsOf(entries: readonly Entry[]): Promise<Map<Entry, LogEvent[]>> {
    const heard = new Map<Entry, ReportedEvent>();
    for (const entry of entries) if (entry.kind === 'heard') heard.set(entry, readHeard(entry.event, entry.created));
    const all = [...heard.values()];
    const pointTexts = await points(all.flatMap((one) => one.points ?? []));
    const readingTexts = await readings(all.flatMap((one) => one.readings ?? []));
    return new Map(
      entries.map((entry) => {
        const one = heard.get(entry);
        return [entry, one ? heardEvents(entry, one, pointTexts, readingTexts) : [plainEvent(entry)]];
      }),
    );
  }

  return {
    head: () => log.head(),
    bounds: () => log.bounds(),
    read: (ranges, limit) => log.read(ranges, limit),
    // An entry tells of two devices, and what changed who may see the other may be in a lane that is read later.
    prepareMany: () => audiences.forget(),

    async prepare(entries, readers) {
      for (const { kind, deviceId } of entries)
        if (kind === 'access') audiences.forget(deviceId === ALL_DEVICES ? undefined : deviceId);
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
  events: ReadonlyMap<Entry, LogEvent[]>,
  audienceOf: AudienceOf,
): Generator<LogEvent> {
  for (const entry of entries) {
    if (entry.kind === 'access') {
      if (entry.deviceId === ALL_DEVICES && entry.userId === who.caller.userId) yield logEnd(placeIn(entry));
      else if (concerns(who, entry, audienceOf)) yield accessEvent(who, entry, audienceOf);
      continue;
    }
    const made = events.get(entry);
    if (made && sees(who, entry, audienceOf)) yield* made;
  }
}

const rightOn = (who: Who, deviceId: number, audienceOf: AudienceOf) => {
  const audience = audienceOf(deviceId);
  return isWanted(who, deviceId) && !audience?.isDeleted ? rightIn(audience, who.caller) : undefined;
};

function sees(who: Who, { kind, userId, deviceId, otherDeviceId }: Entry, audienceOf: AudienceOf): boolean {
  // It tells of no device, and of those of all devices together.
  if (kind === 'unread') return userId === who.caller.userId && who.devices === undefined;
  if (userId !== null && userId !== who.caller.userId && !who.caller.admin) return false;
  if (rightOn(who, deviceId, audienceOf) !== undefined) return true;
  return otherDeviceId !== null && rightOn(who, otherDeviceId, audienceOf) !== undefined;
}

/** Whether a change of who may see a device concerns this reader: their own share, or a device they could see. */
function concerns(who: Who, { userId, deviceId }: Entry, audienceOf: AudienceOf): boolean {
  if (!isWanted(who, deviceId)) return false;
  return userId === null ? rightIn(audienceOf(deviceId), who.caller) !== undefined : userId === who.caller.userId;
}

function accessEvent(who: Who, entry: Entry, audienceOf: AudienceOf): LogEvent {
  const { deviceId } = entry;
  const right = rightOn(who, deviceId, audienceOf) ?? null;
  // A stream of certain devices ends once none of them is visible.
  const isLast =
    who.devices !== undefined && !who.staysOpen && ![...who.devices].some((one) => rightOn(who, one, audienceOf));
  const data = JSON.stringify({ deviceId, right });
  return logEvent(placeIn(entry), 'access', data, { isLast, about: [deviceId] });
}

const placeIn = ({ lane, id }: Entry, index = 0) => ({ lane, entry: id, index });

const aboutOf = ({ deviceId, otherDeviceId }: Pick<Entry, 'deviceId' | 'otherDeviceId'>) =>
  otherDeviceId === null ? [deviceId] : [deviceId, otherDeviceId];

const plainEvent = (entry: Entry) => logEvent(placeIn(entry), entry.kind, entry.event, { about: aboutOf(entry) });

/** Points, then readings, then changes of the device. Rows deleted meanwhile are left out. */
function heardEvents(
  entry: Entry,
  { points = [], readings = [], device }: ReportedEvent,
  pointTexts: ReadonlyMap<number, string>,
  readingTexts: ReadonlyMap<number, string>,
): LogEvent[] {
  const events: LogEvent[] = [];
  const { deviceId } = entry;
  const about = aboutOf(entry);
  let index = 0;
  for (const key of points) {
    const text = pointTexts.get(key);
    if (text)
      events.push(logEvent(placeIn(entry, index), 'position', text, { newestOf: `position ${deviceId}`, about }));
    index++;
  }
  for (const key of readings) {
    const text = readingTexts.get(key);
    if (text) events.push(logEvent(placeIn(entry, index), 'reading', text, { about }));
    index++;
  }
  // A change of the same fields replaces an older one; changes of other fields stay valid.
  const newestOf = device && `device ${deviceId} ${Object.keys(device)}`;
  if (device) events.push(logEvent(placeIn(entry, index), 'device', newsText(deviceId, device), { newestOf, about }));
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
