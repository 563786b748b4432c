import type { Selectable } from 'kysely';
import { RecentMap } from '../../platform/caches.ts';
import type { Place } from '../../platform/sphere.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { ENTER_CONFIDENCE, EXIT_CONFIDENCE } from './confidence.ts';
import { FenceIndex } from './fence-index.ts';
import type { FenceRule } from './membership.ts';
import { type FenceVersion, PackedVersions } from './packed-versions.ts';

/** Maximum number of cached rules: about as many as a fleet comes near in a while. */
const MADE = 8192;

/** All versions of one user's fences that a replay may still need, indexed by place. */
export class UserFences {
  readonly revision: number;
  /** From this time on it has all versions. */
  readonly since: number;
  /** Time of the latest change of a shape. */
  readonly newestShapeAt: number;
  readonly #versions: PackedVersions;
  readonly #index: FenceIndex;
  /** The indexes of all versions, ordered by fence. */
  readonly #byFence: Uint32Array;
  readonly #bound = new Map<number, number[]>();
  readonly #made = new RecentMap<number, FenceRule>(MADE);

  constructor(revision: number, versions: PackedVersions, since = Number.NEGATIVE_INFINITY) {
    this.revision = revision;
    this.since = since;
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

  /** The fences that apply only to this device. */
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

/** Number of versions read together: the texts of very many would take more memory than the result. */
const AT_ONCE = 1000;
/** From this many on, memory of the read data is worth releasing. */
const MANY = 10_000;

/** @param only these fences instead of all of the user */
export async function readUserFences(
  store: Pick<Store, 'query' | 'giveBack'>,
  userId: number,
  revision: number,
  since: number,
  only?: readonly number[],
): Promise<UserFences> {
  const ids = await store.query
    .selectFrom('geofenceVersions')
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
      .selectFrom('geofenceVersions')
      .select(['id', 'fenceId', 'shapedAt', 'fence', 'deviceId', 'validFrom', 'validTo'])
      .where('id', 'in', some)
      .orderBy('id')
      .execute();
    for (const row of rows) versions.add(versionOf(row, userId));
  }
  if (ids.length > MANY) store.giveBack?.();
  return new UserFences(revision, versions, since);
}

type VersionRow = Pick<
  Selectable<Tables['geofenceVersions']>,
  'id' | 'fenceId' | 'shapedAt' | 'fence' | 'deviceId' | 'validFrom' | 'validTo'
>;

function versionOf(row: VersionRow, userId: number): FenceVersion {
  const fence = JSON.parse(row.fence) as Record<string, unknown>;
  const { enterConfidence, exitConfidence, enterAfter, exitAfter } = fence as Record<string, number | null>;
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
    enter: enterConfidence ?? ENTER_CONFIDENCE,
    exit: exitConfidence ?? EXIT_CONFIDENCE,
    enterAfterMs: (enterAfter ?? 0) * 1000,
    exitAfterMs: (exitAfter ?? 0) * 1000,
    deviceId: row.deviceId,
    validFrom: row.validFrom,
    validTo: row.validTo ?? Number.POSITIVE_INFINITY,
  };
}
