import { gatewayReading } from '@trackway/contract/resources/gateway-reading.ts';
import { point } from '@trackway/contract/resources/point.ts';
import type { Noun } from '@trackway/contract/schema.ts';
import type { Caller, LiveStreams } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import { Refusal } from '../../platform/errors.ts';
import { Hub } from '../../platform/live/hub.ts';
import { positionOf } from '../../platform/live/log-position.ts';
import { type LogEvent, logEnd, logEvent, type Source } from '../../platform/live/outlet.ts';
import type { Log } from '../../platform/log.ts';
import { columnsOf, presentRow, type Row } from '../../platform/storage/shape.ts';
import { modelNotFound } from '../../refusals.ts';
import { ADMINS_AS_THEY_ARE, type AdminPolicy, adminRights } from '../rights.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Store } from '../schema/tables.ts';
import { ALL_DEVICES, type DeviceChange, decodeReport, type ReportedEvent } from './append-live-events.ts';
import { type Audience, Audiences, isWanted, rightIn, type Who } from './audience.ts';
import { type Entry, type LiveLog, liveLog } from './log.ts';

export interface LiveOptions {
  readonly log: Log;
  readonly admins?: AdminPolicy;
  readonly perUser?: number;
  readonly inAll?: number;
  readonly pollMs?: number;
  readonly beatMs?: number;
  readonly patienceMs?: number;
  /** Interval of token checks. */
  readonly checkMs?: number;
}

export interface Live extends LiveStreams {
  /** Call this after a commit, so that streams need not wait for the next poll. */
  wake(): void;
  /** Number of open streams. */
  count(): number;
  stop(): Promise<void>;
}

const PER_USER = 20;
const IN_ALL = 2000;
const CHECK_MS = 1000;
/** Maximum age of cached rights. */
const REMEMBERED_MS = 15_000;

export function startLive(store: Store, options: LiveOptions): Live {
  const { log, perUser = PER_USER, inAll = IN_ALL, checkMs = CHECK_MS, admins: policy = ADMINS_AS_THEY_ARE } = options;
  const audiences = new Audiences(store);
  const stored = liveLog(store);
  const hub = new Hub<Entry, Who>(liveSource(store, stored, audiences), options);
  store.onNews?.(() => hub.wake());

  function refuseTooMany({ userId }: Caller): void {
    const own = [...hub.readers].filter(({ who }) => who.caller.userId === userId).length;
    if (own < perUser && hub.readers.size < inAll) return;
    const whose = own < perUser ? 'the server' : 'you';
    throw new Refusal(429, `Too many live streams: ${whose} cannot open more at once`, {
      headers: { 'retry-after': '10' },
    });
  }

  async function requireVisible(caller: Caller, devices: readonly number[]): Promise<void> {
    const audienceOf = await new Audiences(store).of(devices);
    for (const id of devices) {
      const audience = audienceOf(id);
      const isReached = caller.scope?.deviceIds?.includes(id) ?? true;
      if (!isReached || audience?.isDeleted || rightIn(audience, caller) === undefined)
        throw modelNotFound('device', id);
    }
  }

  /** Ends the streams of expired and revoked tokens, and of users whose admin status changed. */
  async function endTheUnknown(): Promise<void> {
    const readers = [...hub.readers];
    if (readers.length === 0) return;
    store.wantNews?.();
    const ids = [...new Set(readers.map(({ who }) => who.caller.tokenId))];
    const rows = await store.query
      .selectFrom('tokens')
      .innerJoin('users', 'users.id', 'tokens.userId')
      .select(['tokens.id', 'tokens.deviceIds', 'users.admin', 'users.hasSecondFactor', 'users.kind as userKind'])
      .where('tokens.id', 'in', ids)
      .where('tokens.expiresAt', '>', timeNow())
      .execute();
    // A token that is limited to devices has no admin rights.
    const admins = new Map(rows.map((row) => [row.id, adminRights(row, policy).admin && row.deviceIds === null]));
    for (const { who, outlet } of readers) {
      if (admins.get(who.caller.tokenId) !== who.caller.admin) outlet.end('token');
    }
  }

  let checking = Promise.resolve();
  const timers = [
    setInterval(() => {
      checking = checking.then(endTheUnknown).catch((error) => log.error({ error }, 'Tokens could not be checked'));
    }, checkMs).unref(),
    setInterval(() => audiences.forget(), REMEMBERED_MS).unref(),
  ];

  return {
    wake: () => hub.wake(),
    count: () => hub.readers.size,

    async admit(caller, devices) {
      refuseTooMany(caller);
      if (devices) await requireVisible(caller, devices);
    },

    open(caller, { devices, after, staysOpen }, sink) {
      const place = after === undefined ? undefined : (positionOf(after, stored.lanes) ?? null);
      // A request for all devices with a limited token gets the devices of the token.
      const wanted = devices ?? caller.scope?.deviceIds;
      const own = wanted && new Set(wanted);
      store.wantNews?.();
      const outlet = hub.join({ caller, devices: own, staysOpen }, place, sink);
      return {
        drained: () => outlet.drained(),
        end: () => outlet.end(),
        add: (deviceId) => void own?.add(deviceId),
        remove: (deviceId) => void own?.delete(deviceId),
      };
    },

    async stop() {
      for (const timer of timers) clearInterval(timer);
      await hub.stop();
      await checking;
    },
  };
}

type AudienceOf = (deviceId: number) => Audience | undefined;

const AT_ONCE = 500;

/** The live log as a source of events, filtered by who may see them. */
function liveSource(store: Store, log: LiveLog, audiences: Audiences): Source<Entry, Who> {
  const points = textsOf(store, 'points', point);
  const readings = textsOf(store, 'gatewayReadings', gatewayReading);

  async function eventsOf(entries: readonly Entry[]): Promise<Map<Entry, LogEvent[]>> {
    const reported = new Map<Entry, ReportedEvent>();
    for (const entry of entries)
      if (entry.kind === 'report') reported.set(entry, decodeReport(entry.event, entry.created));
    const all = [...reported.values()];
    const pointTexts = await points(all.flatMap((one) => one.points ?? []));
    const readingTexts = await readings(all.flatMap((one) => one.readings ?? []));
    return new Map(
      entries.map((entry) => {
        const one = reported.get(entry);
        return [entry, one ? reportedEvents(entry, one, pointTexts, readingTexts) : [plainEvent(entry)]];
      }),
    );
  }

  return {
    head: () => log.head(),
    bounds: () => log.bounds(),
    read: (ranges, limit) => log.read(ranges, limit),
    // An entry may concern two devices, and a change of access to the other may be in a lane that is read later.
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
  // The number of unread notifications is for all devices together, so streams of selected devices do not get it.
  if (kind === 'unread') return userId === who.caller.userId && who.devices === undefined;
  if (userId !== null && userId !== who.caller.userId && !who.caller.admin) return false;
  if (rightOn(who, deviceId, audienceOf) !== undefined) return true;
  return otherDeviceId !== null && rightOn(who, otherDeviceId, audienceOf) !== undefined;
}

/** Whether a change of access to a device concerns this reader: their own share, or a device they could see. */
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

/** Points, then readings, then changes of the device. Rows that were deleted meanwhile are left out. */
function reportedEvents(
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

const LISTED = {
  sqlite: "IN (SELECT value FROM json_each('[' || ? || ']'))",
  postgres: "= ANY(string_to_array(?, ',')::bigint[])",
};

/** Returns rows of a noun by their ids, in the format of the API. */
function textsOf(store: Store, table: string, noun: Noun): (ids: readonly number[]) => Promise<Map<number, string>> {
  const shape = shapeOf(noun);
  const columns = shape
    .flatMap(columnsOf)
    .map((column) => `"${column}"`)
    .join(', ');
  const read = store.prepare<Row>(
    `live.${table}`,
    `SELECT ${columns} FROM "${table}" WHERE "id" ${store.dialect.pick(LISTED)}`,
  );
  return async (ids) => {
    const texts = new Map<number, string>();
    for (let start = 0; start < ids.length; start += AT_ONCE) {
      for (const row of await read.all(ids.slice(start, start + AT_ONCE).join(',')))
        texts.set(row.id as number, JSON.stringify(presentRow(shape, row)));
    }
    return texts;
  };
}
