import { RecentMap } from '../../../platform/recent-map.ts';
import type { Workplace } from '../../../platform/storage/work.ts';
import { readUserFences, type UserFences } from '../../geofences/index/user-fences.ts';
import type { FenceRule } from '../../geofences/rule/membership.ts';
import { managersAmong } from '../../rights.ts';
import type { Tables } from '../../schema/tables.ts';
import { type Forwarder, readForwarders } from '../../sending/forwarders/forwarder-row.ts';
import { listenerOf } from '../../sending/listeners/listeners.ts';
import { DEFAULT_POLICY, type SendingPolicy } from '../../sending/sending-policy.ts';
import { readTriggerVersions, type TriggerVersion } from '../../triggers/versions.ts';
import type { Rules } from '../judge/inputs.ts';

interface CachedDevice {
  readonly rules: number;
  readonly userIds: readonly number[];
  readonly triggers: readonly TriggerVersion[];
  readonly forwarders: readonly Forwarder[];
  readonly mayBeTold: DeviceRules['mayBeTold'];
  /** What was made of it and the fences of its owner, where it is shared with nobody; gone with the fences. */
  readonly made: WeakMap<UserFences, DeviceRules>;
}

/** The rules of a device, and who sends on what happens to it. */
export interface DeviceRules extends Rules {
  readonly forwarders: readonly Forwarder[];
  /**
   * Whether a user whose trigger fires has the right it needs now, whatever they had at the time of the fix. Nobody is
   * told of an inactive device.
   */
  readonly mayBeTold: (userId: number) => boolean;
}

/** What is read of a user: the fences, and until when they listen at the broker. */
interface UserBook {
  readonly fences: UserFences;
  readonly listensUntil: number;
}

const MAX_DEVICES = 20_000;
const MAX_USERS = 2_000;

/** Rules for several devices at one moment. */
export interface RulesReading {
  of(deviceId: number, rules: number): DeviceRules | Promise<DeviceRules>;
  /** Begins to ask whether anything changed for devices that are known, while something else is waited for. */
  ahead(deviceIds: readonly number[]): void;
}

/** The rules by which devices are judged, and who is told, read once and kept until someone changes them. */
export class RulesCache {
  readonly policy: SendingPolicy;
  readonly #store: Workplace<Tables>;
  readonly #windowMs: number;
  readonly #devices = new RecentMap<number, CachedDevice>(MAX_DEVICES);
  readonly #books = new RecentMap<number, UserBook>(MAX_USERS);
  readonly #changesOf;

  constructor(store: Workplace<Tables>, windowMs: number, policy: SendingPolicy = DEFAULT_POLICY) {
    this.policy = policy;
    this.#store = store;
    this.#windowMs = windowMs;
    this.#changesOf = store.prepare<{ changes: number; listensUntil: number | null }>(
      'userFences.changes',
      'SELECT "changes", "listensUntil" FROM "userFences" WHERE "userId" = ?',
    );
  }

  /** `rules` is the number that changes with the triggers, forwarders, shares and activity of the device. */
  async rulesFor(deviceId: number, rules: number, now: number): Promise<DeviceRules> {
    return this.reading(now).of(deviceId, rules);
  }

  /**
   * The same for several devices at once: whether a user's fences changed is asked once. What is known is there at once, as
   * it is for nearly all devices.
   */
  reading(now: number): RulesReading {
    const books = new Map<number, UserBook>();
    const asked = new Map<number, Promise<UserBook>>();
    const read = async (deviceId: number, rules: number) => {
      const device = await this.#device(deviceId, rules, now);
      const own: UserFences[] = [];
      const listeners: Forwarder[] = [];
      for (const userId of device.userIds) {
        const book = books.get(userId) ?? (await (asked.get(userId) ?? this.#book(userId, now)));
        books.set(userId, book);
        own.push(book.fences);
        if (book.listensUntil > now) listeners.push(listenerOf(userId, deviceId));
      }
      const known = own.length === 1 ? device.made.get(own[0]!) : undefined;
      if (known) return known;
      const made = Object.assign(rulesOf(deviceId, device.triggers, own), {
        forwarders: listeners.length === 0 ? device.forwarders : [...device.forwarders, ...listeners],
        mayBeTold: device.mayBeTold,
      });
      if (own.length === 1) device.made.set(own[0]!, made);
      return made;
    };
    const ahead = (deviceIds: readonly number[]) => {
      for (const userId of new Set(deviceIds.flatMap((deviceId) => this.#devices.get(deviceId)?.userIds ?? []))) {
        const book = this.#book(userId, now);
        // Whoever needs it is told.
        book.catch(() => {});
        asked.set(userId, book);
      }
    };
    const of: RulesReading['of'] = (deviceId, rules) => {
      const device = this.#devices.get(deviceId);
      const book = device?.rules === rules && device.userIds.length === 1 ? books.get(device.userIds[0]!) : undefined;
      return (book && device!.made.get(book.fences)) ?? read(deviceId, rules);
    };
    return { of, ahead };
  }

  /** Whether a device whose rules were read has a trigger of a type. */
  hasTrigger(deviceId: number, type: TriggerVersion['type']): boolean {
    return this.#devices.get(deviceId)?.triggers.some((trigger) => trigger.type === type) ?? false;
  }

  async #device(deviceId: number, rules: number, now: number): Promise<CachedDevice> {
    const known = this.#devices.get(deviceId);
    if (known?.rules === rules) return known;
    const since = now - this.#windowMs;
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
    // A device that was deleted is not judged, so its owner may always be told.
    const others = new Set(triggers.map(({ userId }) => userId).filter((userId) => userId !== ownerId));
    const managers = await managersAmong(this.#store.query, deviceId, [...others]);
    const read: CachedDevice = {
      rules,
      userIds: [ownerId, ...shares.map(({ userId }) => userId)],
      triggers,
      forwarders: await readForwarders(this.#store.query, deviceId),
      mayBeTold: (userId) => active !== 0 && (userId === ownerId || managers.has(userId)),
      made: new WeakMap(),
    };
    this.#devices.set(deviceId, read);
    return read;
  }

  async #book(userId: number, now: number): Promise<UserBook> {
    const { changes, listensUntil } = (await this.#changesOf.get(userId)) ?? { changes: 0, listensUntil: null };
    const known = this.#books.get(userId);
    if (known?.fences.changes === changes) return known;
    const fences = await readUserFences(this.#store, userId, changes, now - this.#windowMs);
    const read = { fences, listensUntil: listensUntil ?? 0 };
    this.#books.set(userId, read);
    return read;
  }
}

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
      return undefined;
    },
    newestShapeAt: Math.max(...books.map((book) => book.newestShapeAt)),
    bound: (at) => books.flatMap((book) => book.boundTo(deviceId, at)),
    triggers: (at) =>
      alwaysTheSame ? triggers : triggers.filter(({ validFrom, validTo }) => validFrom <= at && at < validTo),
  };
}
