import type { Selectable } from 'kysely';
import { RecentMap } from '../../../platform/recent-map.ts';
import type { Place } from '../../../platform/sphere.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import type { FenceRule } from '../rule/membership.ts';
import { ENTER_CONFIDENCE, EXIT_CONFIDENCE } from '../shape/outline.ts';
import { FenceIndex } from './fence-index.ts';
import { type FenceVersion, PackedVersions } from './packed-versions.ts';

/** As many rules stay made as a fleet may come near in a while. */
const MADE = 8192;

/** All versions of one user's fences that a replay may still need, indexed by place. */
export class UserFences {
  readonly changes: number;
  /** When a fence last got the shape it has. */
  readonly newestShapeAt: number;
  readonly #versions: PackedVersions;
  readonly #index: FenceIndex;
  /** The numbers of all versions in the order of their fences. */
  readonly #byFence: Uint32Array;
  readonly #bound = new Map<number, number[]>();
  readonly #made = new RecentMap<number, FenceRule>(MADE);

  constructor(changes: number, versions: PackedVersions) {
    this.changes = changes;
    this.#versions = versions;
    this.#index = new FenceIndex(versions.end());
    const count = this.#index.size;
    let newestShapeAt = Number.NEGATIVE_INFINITY;
    for (let number = 0; number < count; number++) {
      newestShapeAt = Math.max(newestShapeAt, versions.field(number, 'shapedAt'));
      const deviceId = versions.deviceOf(number);
      if (deviceId === undefined) continue;
      const bound = this.#bound.get(deviceId);
      if (bound) bound.push(number);
      else this.#bound.set(deviceId, [number]);
    }
    this.newestShapeAt = newestShapeAt;
    this.#byFence = Uint32Array.from({ length: count }, (_, number) => number).sort(
      (a, b) => this.#fenceId(a) - this.#fenceId(b) || a - b,
    );
  }

  near(at: number, deviceId: number, place: Place, radiusM: number, visit: (rule: FenceRule) => void): void {
    this.#index.near(place, radiusM, (number) => {
      if (this.#versions.inForce(number, at, deviceId)) visit(this.#rule(number));
    });
  }

  /** The fences that apply to this device only. */
  boundTo(deviceId: number, at: number): readonly FenceRule[] {
    const bound = this.#bound.get(deviceId)?.filter((number) => this.#versions.inForce(number, at, deviceId));
    return bound?.map((number) => this.#rule(number)) ?? [];
  }

  fence(at: number, deviceId: number, fenceId: number): FenceRule | undefined {
    const byFence = this.#byFence;
    let [first, end] = [0, byFence.length];
    while (first < end) {
      const middle = (first + end) >> 1;
      if (this.#fenceId(byFence[middle]!) < fenceId) first = middle + 1;
      else end = middle;
    }
    for (; first < byFence.length && this.#fenceId(byFence[first]!) === fenceId; first++)
      if (this.#versions.inForce(byFence[first]!, at, deviceId)) return this.#rule(byFence[first]!);
    return undefined;
  }

  #fenceId(number: number): number {
    return this.#versions.field(number, 'fenceId');
  }

  #rule(number: number): FenceRule {
    const known = this.#made.get(number);
    if (known) return known;
    const made = this.#versions.rule(number);
    this.#made.set(number, made);
    return made;
  }
}

/** Versions that are read together: the texts of very many would take more memory than what is made of them. */
const AT_ONCE = 1000;
/** From so many on, what was read takes memory that is worth giving back. */
const MANY = 10_000;

/** @param only these fences, if not all of the user */
export async function readUserFences(
  store: Pick<Store, 'query' | 'giveBack'>,
  userId: number,
  changes: number,
  since: number,
  only?: readonly number[],
): Promise<UserFences> {
  const ids = await store.query
    .selectFrom('fenceVersions')
    .select('id')
    .where('userId', '=', userId)
    .where((when) => when.or([when('validTo', 'is', null), when('validTo', '>', since)]))
    .$if(only !== undefined, (of) => of.where('fenceId', 'in', only!))
    .orderBy('id')
    .execute();
  const versions = new PackedVersions(userId);
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const some = ids.slice(start, start + AT_ONCE).map(({ id }) => id);
    const rows = await store.query
      .selectFrom('fenceVersions')
      .select(['id', 'fenceId', 'shapedAt', 'fence', 'deviceId', 'validFrom', 'validTo'])
      .where('id', 'in', some)
      .orderBy('id')
      .execute();
    for (const row of rows) versions.add(versionOf(row, userId));
  }
  if (ids.length > MANY) store.giveBack?.();
  return new UserFences(changes, versions);
}

type VersionRow = Pick<
  Selectable<Tables['fenceVersions']>,
  'id' | 'fenceId' | 'shapedAt' | 'fence' | 'deviceId' | 'validFrom' | 'validTo'
>;

function versionOf(row: VersionRow, userId: number): FenceVersion {
  const fence = JSON.parse(row.fence) as Record<string, unknown>;
  const meta = fence.meta ? (JSON.parse(fence.meta as string) as Record<string, number | undefined>) : {};
  return {
    fenceId: row.fenceId,
    version: row.id,
    shapedAt: row.shapedAt,
    userId,
    name: fence.name as string | null,
    foreignId: fence.foreignId as string | null,
    group: fence.type as string | null,
    shape: {
      outline: fence.outline ? JSON.parse(fence.outline as string) : null,
      center: fence.centerLat === null ? null : { lat: fence.centerLat as number, lng: fence.centerLng as number },
      radius: fence.radius as number | null,
    },
    enter: meta.enterConfidence ?? ENTER_CONFIDENCE,
    exit: meta.exitConfidence ?? EXIT_CONFIDENCE,
    enterAfterMs: (meta.enterAfter ?? 0) * 1000,
    exitAfterMs: (meta.exitAfter ?? 0) * 1000,
    deviceId: row.deviceId,
    validFrom: row.validFrom,
    validTo: row.validTo ?? Number.POSITIVE_INFINITY,
  };
}
