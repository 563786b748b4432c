import type { Selectable } from 'kysely';
import type { Place } from '../../../platform/sphere.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import type { FenceRule } from '../rule/membership.ts';
import { areaOf } from '../shape/area.ts';
import { ENTER_CONFIDENCE, EXIT_CONFIDENCE } from '../shape/outline.ts';
import { FenceIndex } from './fence-index.ts';

/** One version of a fence: a rule and the time it was valid. */
export interface FenceVersion extends FenceRule {
  readonly deviceId: number | null;
  readonly validFrom: number;
  readonly validTo: number;
}

/** All versions of one user's fences that a replay may still need, indexed by place. */
export class UserFences {
  readonly changes: number;
  /** When a fence last got the shape it has. */
  readonly newestShapeAt: number;
  readonly #editions = new Map<number, FenceVersion>();
  readonly #byFence = new Map<number, FenceVersion[]>();
  readonly #bound = new Map<number, FenceVersion[]>();
  readonly #index = new FenceIndex();

  constructor(changes: number, editions: readonly FenceVersion[]) {
    this.changes = changes;
    let newestShapeAt = Number.NEGATIVE_INFINITY;
    for (const edition of editions) {
      newestShapeAt = Math.max(newestShapeAt, edition.shapedAt);
      this.#editions.set(edition.version, edition);
      this.#index.add(edition.version, edition.area);
      const others = this.#byFence.get(edition.fenceId);
      if (others) others.push(edition);
      else this.#byFence.set(edition.fenceId, [edition]);
      if (edition.deviceId === null) continue;
      const bound = this.#bound.get(edition.deviceId);
      if (bound) bound.push(edition);
      else this.#bound.set(edition.deviceId, [edition]);
    }
    this.newestShapeAt = newestShapeAt;
  }

  near(at: number, deviceId: number, place: Place, radiusM: number, visit: (rule: FenceRule) => void): void {
    if (this.#editions.size === 0) return;
    this.#index.near(place, radiusM, (version) => {
      const edition = this.#editions.get(version)!;
      if (inForce(edition, at, deviceId)) visit(edition);
    });
  }

  /** The fences that apply to this device only. */
  boundTo(deviceId: number, at: number): readonly FenceRule[] {
    return this.#bound.get(deviceId)?.filter((edition) => inForce(edition, at, deviceId)) ?? [];
  }

  fence(at: number, deviceId: number, fenceId: number): FenceRule | undefined {
    return this.#byFence.get(fenceId)?.find((edition) => inForce(edition, at, deviceId));
  }
}

const inForce = ({ validFrom, validTo, deviceId: only }: FenceVersion, at: number, deviceId: number) =>
  validFrom <= at && at < validTo && (only === null || only === deviceId);

/** Versions that are read together: the texts of very many would take more memory than what is made of them. */
const AT_ONCE = 1000;

/** @param only these fences, if not all of the user */
export async function readUserFences(
  store: Pick<Store, 'query'>,
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
  const editions: FenceVersion[] = [];
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const some = ids.slice(start, start + AT_ONCE).map(({ id }) => id);
    const rows = await store.query
      .selectFrom('fenceVersions')
      .select(['id', 'fenceId', 'shapedAt', 'fence', 'deviceId', 'validFrom', 'validTo'])
      .where('id', 'in', some)
      .orderBy('id')
      .execute();
    for (const row of rows) {
      const edition = editionOf(row, userId);
      if (edition !== undefined) editions.push(edition);
    }
  }
  return new UserFences(changes, editions);
}

type VersionRow = Pick<
  Selectable<Tables['fenceVersions']>,
  'id' | 'fenceId' | 'shapedAt' | 'fence' | 'deviceId' | 'validFrom' | 'validTo'
>;

/** Undefined where the fence has no shape. */
function editionOf(row: VersionRow, userId: number): FenceVersion | undefined {
  const fence = JSON.parse(row.fence) as Record<string, unknown>;
  const area = areaOf({
    outline: fence.outline ? JSON.parse(fence.outline as string) : null,
    center: fence.centerLat === null ? null : { lat: fence.centerLat as number, lng: fence.centerLng as number },
    radius: fence.radius as number | null,
  });
  if (area === undefined) return undefined;
  const meta = fence.meta ? (JSON.parse(fence.meta as string) as Record<string, number | undefined>) : {};
  return {
    fenceId: row.fenceId,
    version: row.id,
    shapedAt: row.shapedAt,
    userId,
    name: fence.name as string | null,
    foreignId: fence.foreignId as string | null,
    group: fence.type as string | null,
    area,
    enter: meta.enterConfidence ?? ENTER_CONFIDENCE,
    exit: meta.exitConfidence ?? EXIT_CONFIDENCE,
    enterAfterMs: (meta.enterAfter ?? 0) * 1000,
    exitAfterMs: (meta.exitAfter ?? 0) * 1000,
    deviceId: row.deviceId,
    validFrom: row.validFrom,
    validTo: row.validTo ?? Number.POSITIVE_INFINITY,
  };
}
