import {
  type timelineOperations as contract,
  TIMELINES,
  type TimelineType,
} from '@trackway/contract/resources/timeline.ts';
import { parseTime } from '@trackway/contract/values.ts';
import { sql } from 'kysely';
import type { Caller, Handlers, Right } from '../../../calls.ts';
import { badRequest } from '../../../platform/errors.ts';
import { accessDenied, secondFactorDemanded } from '../../../refusals.ts';
import { ownerOf, unlessBusy } from '../../family.ts';
import type { Store } from '../../schema/tables.ts';
import type { Pipeline } from '../pipeline.ts';
import { readTimeline } from './read-timeline.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 14;
/** What was recorded longer ago than this is committed, or never will be. */
const RECENT_MS = 60_000;

/** What was recorded about a device, in the order of recording. */
export function timelineOperations(store: Store, intake: Pick<Pipeline, 'settled'>): Handlers<keyof typeof contract> {
  const timelineOf = store.readWork(readTimeline);

  /** Waits for what was recorded before now but is not committed yet, so that who reads on from here misses nothing. */
  async function settle(deviceId: number, type: TimelineType): Promise<void> {
    await intake.settled(deviceId);
    await store.transaction(async (tx) => {
      // Then one transaction follows the other.
      if (store.dialect.isEmbedded) return;
      if (type === 'datapoint') {
        const row = tx.selectFrom('deviceStates').select('deviceId').where('deviceId', '=', deviceId);
        await row.forShare().execute();
        return;
      }
      // It does not block readers, and waits for transactions that have written and not ended yet.
      const table = type === 'devicemessage' ? 'messages' : 'deviceEvents';
      await sql`LOCK TABLE ${sql.table(table)} IN SHARE MODE`.execute(tx);
    });
  }

  return {
    async getTimeline(call) {
      const { deviceId, now, parameters } = call;
      const type = requireType(call.texts.type);
      requireRight(type, call);
      const asked = parameters.until === undefined ? now : parseTime(parameters.until)!;
      const since = parameters.since === undefined ? asked - DEFAULT_DAYS * DAY_MS : parseTime(parameters.since)!;
      if (since > asked) throw badRequest('since must not be later than until');
      // The moment that has not passed may bring more.
      const until = Math.max(since, Math.min(asked, now - 1));
      if (until > now - RECENT_MS) await settle(deviceId, type);
      const found = await unlessBusy('timelines', timelineOf({ deviceId, type, since, until }, ownerOf(call)));
      return {
        data: found.entries.map(({ recordedAt, at, ...entry }) => ({
          timestamp: isoOf(recordedAt),
          at: isoOf(at),
          ...entry,
        })),
        since: isoOf(since),
        until: isoOf(found.until),
      };
    },
  };
}

const isoOf = (at: number) => new Date(at).toISOString();

function requireType(type: string): TimelineType {
  if (Object.hasOwn(TIMELINES, type)) return type as TimelineType;
  throw badRequest(`type must be one of ${Object.keys(TIMELINES).join(', ')}`);
}

function requireRight(type: TimelineType, { caller, right }: { readonly caller: Caller; readonly right: Right }): void {
  const needed = TIMELINES[type];
  if (needed === 'admin' && !caller.admin) throw caller.lacksSecondFactor ? secondFactorDemanded() : accessDenied();
  if (needed === 'own' && right !== 'own') throw accessDenied();
}
