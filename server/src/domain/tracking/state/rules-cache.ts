import type { SelectQueryBuilder } from 'kysely';
import { RecentMap } from '../../../platform/caches.ts';
import { askLater } from '../../../platform/storage/later.ts';
import type { Workplace } from '../../../platform/storage/work.ts';
import { type Forwarder, readForwarders } from '../../delivery/forwarders.ts';
import { listenerOf } from '../../delivery/listeners.ts';
import { DEFAULT_POLICY, type SendingPolicy } from '../../delivery/sending-policy.ts';
import type { FenceRule } from '../../geofences/membership.ts';
import { readUserFences, type UserFences } from '../../geofences/user-fences.ts';
import { managersAmong } from '../../rights.ts';
import type { Tables, Tx } from '../../schema/tables.ts';
import { readTriggerVersions, type TriggerVersion } from '../../triggers/versions.ts';
import type { Rules } from '../evaluate/inputs.ts';

interface CachedDevice {
  readonly rulesVersion: number;
  /** From this time on all versions of its triggers are known. */
  readonly since: number;
  readonly userIds: readonly number[];
  readonly triggers: readonly TriggerVersion[];
  readonly forwarders: readonly Forwarder[];
  readonly mayBeNotified: DeviceRules['mayBeNotified'];
  /** Rules derived from it and the fences of its owner, if it is not shared. Collected together with the fences. */
  readonly made: WeakMap<UserFences, DeviceRules>;
}

/** The rules of a device, and who sends on what happens to it. */
export interface DeviceRules extends Rules {
  readonly forwarders: readonly Forwarder[];
  /**
   * Whether a user whose trigger fires has the right it needs now, regardless of the right at the time of the fix. An
   * inactive device sends no notifications.
   */
  readonly mayBeNotified: (userId: number) => boolean;
}

/** What is read of a user: the fences, and until when they listen at the broker. */
interface UserBook {
  readonly fences: UserFences;
  readonly mqttUntil: number;
}

/** Changes with each change of a user's geofences. */
interface Revision {
  readonly revision: number;
  readonly mqttUntil: number | null;
}

const REVISIONS =
  'SELECT "userId", "revision", "mqttUntil" FROM "geofenceRevisions" WHERE "userId" = ANY($1::BIGINT[])';

const MAX_DEVICES = 20_000;
const MAX_USERS = 2_000;
/** Of versions that ended, at most so many are read that are older than anything to be evaluated, and than this age. */
const MOST_ENDED = 100;
const RECENT_MS = 300_000;

/** Rules for several devices at one moment. */
export interface RulesReading {
  /** @param from the earliest time that is evaluated by them */
  of(deviceId: number, rulesVersion: number, from: number): DeviceRules | Promise<DeviceRules>;
  /** On PostgreSQL, asks with the next statement of the transaction whether anything changed for devices that are known. */
  ahead(tx: Tx, deviceIds: readonly number[]): Promise<void>;
}

/** The rules for evaluating devices, and the users to notify. They are read once and cached until they change. */
export class RulesCache {
  readonly policy: SendingPolicy;
  readonly #store: Workplace<Tables>;
  readonly #windowMs: number;
  readonly #devices = new RecentMap<number, CachedDevice>(MAX_DEVICES);
  readonly #books = new RecentMap<number, UserBook>(MAX_USERS);
  readonly #revisionOf;

  constructor(store: Workplace<Tables>, windowMs: number, policy: SendingPolicy = DEFAULT_POLICY) {
    this.policy = policy;
    this.#store = store;
    this.#windowMs = windowMs;
    this.#revisionOf = store.prepare<Revision>(
      'geofenceRevisions.revision',
      'SELECT "revision", "mqttUntil" FROM "geofenceRevisions" WHERE "userId" = ?',
    );
  }

  /**
   * @param rulesVersion the number that changes with the triggers, forwarders, shares and activity of the device
   * @param from the earliest time that is evaluated by them
   */
  async rulesFor(deviceId: number, rulesVersion: number, now: number, from: number): Promise<DeviceRules> {
    return this.reading(now).of(deviceId, rulesVersion, from);
  }

  /**
   * The same for several devices at once: whether a user's fences changed is asked once. Cached rules are returned
   * immediately, which is the case for nearly all devices.
   */
  reading(now: number): RulesReading {
    const books = new Map<number, UserBook>();
    const asked = new Map<number, Promise<UserBook>>();
    /** Older inputs are not evaluated. */
    const earliest = now - this.#windowMs;
    const read = async (deviceId: number, rulesVersion: number, from: number) => {
      const device = await this.#device(deviceId, rulesVersion, now, from);
      const own: UserFences[] = [];
      const listeners: Forwarder[] = [];
      for (const userId of device.userIds) {
        let book = books.get(userId) ?? (await asked.get(userId));
        if (book === undefined || book.fences.since > from) book = await this.#book(userId, now, from);
        books.set(userId, book);
        own.push(book.fences);
        if (book.mqttUntil > now) listeners.push(listenerOf(userId, deviceId));
      }
      const known = own.length === 1 ? device.made.get(own[0]!) : undefined;
      if (known) return known;
      const made = Object.assign(rulesOf(deviceId, device.triggers, own), {
        forwarders: listeners.length === 0 ? device.forwarders : [...device.forwarders, ...listeners],
        mayBeNotified: device.mayBeNotified,
      });
      if (own.length === 1) device.made.set(own[0]!, made);
      return made;
    };
    const ahead = async (tx: Tx, deviceIds: readonly number[]) => {
      const userIds = new Set(deviceIds.flatMap((deviceId) => this.#devices.get(deviceId)?.userIds ?? []));
      if (userIds.size === 0) return;
      const { rows } = await askLater<Revision & { userId: number }>(tx, REVISIONS, [`{${[...userIds]}}`]);
      for (const userId of userIds) {
        const revision = rows.then((all) => all.find((row) => row.userId === userId));
        const book = this.#book(userId, now, now, revision);
        // The callers that await it get the error.
        book.catch(() => {});
        asked.set(userId, book);
      }
    };
    const of: RulesReading['of'] = (deviceId, rulesVersion, evaluatedFrom) => {
      const from = Math.max(evaluatedFrom, earliest);
      const device = this.#devices.get(deviceId);
      const isKnown = device?.rulesVersion === rulesVersion && device.since <= from && device.userIds.length === 1;
      const book = isKnown ? books.get(device.userIds[0]!) : undefined;
      const known = book && book.fences.since <= from ? device!.made.get(book.fences) : undefined;
      return known ?? read(deviceId, rulesVersion, from);
    };
    return { of, ahead };
  }

  /** Whether a device whose rules were read has a trigger of a type. */
  hasTrigger(deviceId: number, type: TriggerVersion['type']): boolean {
    return this.#devices.get(deviceId)?.triggers.some((trigger) => trigger.type === type) ?? false;
  }

  async #device(deviceId: number, rulesVersion: number, now: number, from: number): Promise<CachedDevice> {
    const known = this.#devices.get(deviceId);
    if (known?.rulesVersion === rulesVersion && known.since <= from) return known;
    const ended = this.#store.query.selectFrom('triggerVersions').where('deviceId', '=', deviceId);
    const since = await this.#since(ended as unknown as Versions, now, from);
    const { ownerId, active } = await this.#store.query
      .selectFrom('devices')
      .select(['ownerId', 'active'])
      .where('id', '=', deviceId)
      .executeTakeFirstOrThrow();
    const shares = await this.#store.query
      .selectFrom('shares')
      .select('userId')
      .where('deviceId', '=', deviceId)
      .execute();
    const triggers = await readTriggerVersions(this.#store, deviceId, since);
    // A device that was deleted is not evaluated, so its owner always counts as allowed.
    const others = new Set(triggers.map(({ userId }) => userId).filter((userId) => userId !== ownerId));
    const managers = await managersAmong(this.#store.query, deviceId, [...others]);
    const read: CachedDevice = {
      rulesVersion,
      since,
      userIds: [ownerId, ...shares.map(({ userId }) => userId)],
      triggers,
      forwarders: await readForwarders(this.#store.query, deviceId),
      mayBeNotified: (userId) => active !== 0 && (userId === ownerId || managers.has(userId)),
      made: new WeakMap(),
    };
    this.#devices.set(deviceId, read);
    return read;
  }

  async #book(
    userId: number,
    now: number,
    from: number,
    asked: Promise<Revision | undefined> = this.#revisionOf.get(userId),
  ): Promise<UserBook> {
    const { revision, mqttUntil } = (await asked) ?? { revision: 0, mqttUntil: null };
    const known = this.#books.get(userId);
    if (known?.fences.revision === revision && known.fences.since <= from) return known;
    const ended = this.#store.query.selectFrom('geofenceVersions').where('userId', '=', userId);
    const fences = await readUserFences(this.#store, userId, revision, await this.#since(ended, now, from));
    const read = { fences, mqttUntil: mqttUntil ?? 0 };
    this.#books.set(userId, read);
    return read;
  }

  /**
   * Versions are read from this time on. That covers everything that may be evaluated again, unless very many versions
   * ended: frequent changes of rules would fill the memory with unused versions.
   */
  async #since(versions: Versions, now: number, from: number): Promise<number> {
    const earliest = now - this.#windowMs;
    const recent = Math.min(from, now - RECENT_MS);
    if (recent <= earliest) return earliest;
    const ended = await versions
      .select('id')
      .where('validTo', '>', earliest)
      .where('validTo', '<=', recent)
      .limit(MOST_ENDED + 1)
      .execute();
    return ended.length > MOST_ENDED ? recent : earliest;
  }
}

/** Versions of triggers have the same columns, as far as needed here. */
type Versions = SelectQueryBuilder<Tables, 'geofenceVersions', object>;

export function rulesOf(deviceId: number, triggers: readonly TriggerVersion[], books: readonly UserFences[]): Rules {
  const alwaysTheSame = triggers.every(
    ({ validFrom, validTo }) => validFrom === Number.NEGATIVE_INFINITY && validTo === Number.POSITIVE_INFINITY,
  );
  return {
    fencesNear(at, place, radiusM) {
      const found: FenceRule[] = [];
      for (const book of books) book.near(at, deviceId, place, radiusM, (rule) => found.push(rule));
      return found;
    },
    fence(at, fenceId) {
      for (const book of books) {
        const rule = book.fence(at, deviceId, fenceId);
        if (rule) return rule;
      }
    },
    newestShapeAt: Math.max(...books.map((book) => book.newestShapeAt)),
    bound: (at) => books.flatMap((book) => book.boundTo(deviceId, at)),
    triggers: (at) =>
      alwaysTheSame ? triggers : triggers.filter(({ validFrom, validTo }) => validFrom <= at && at < validTo),
  };
}
