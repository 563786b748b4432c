import { type pointOperations as contract, point, pointV2 } from '@trackway/contract/resources/point.ts';
import type { Kysely } from 'kysely';
import type { Call, Handlers } from '../../../calls.ts';
import type { Include } from '../../../platform/filter/clauses.ts';
import { parseFilterObject } from '../../../platform/filter/parse.ts';
import type { Row } from '../../../platform/storage/shape.ts';
import { childNotFound } from '../../../refusals.ts';
import { recordDeletedData } from '../../audit/record.ts';
import { sendStored } from '../../delivery/send.ts';
import { isWithinToken } from '../../devices/access.ts';
import { children, countOf, familyOf, listOf, readOf, refuseMoved, requestOf, rowOf } from '../../family.ts';
import { appendLiveEvents } from '../../live/append-live-events.ts';
import { gatewaySentence, shownGateways } from '../../position-gateways.ts';
import { deletePositionsOf, keepNewest, storedPosition, unpackHolding } from '../../positions/pack.ts';
import { packedPoints } from '../../positions/packed-points.ts';
import { positionWriter } from '../../positions/write.ts';
import { collectionOf } from '../../schema/table.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import type { Engine } from '../engine.ts';
import { placesTouched } from '../state/place-due.ts';
import { markLate } from '../state/save-state.ts';

/** Positions per device where a list of devices includes them, unless a scope sets another number. */
const INCLUDED_POINTS = 10;
/** So that others who write wait shortly. */
const DELETED_AT_ONCE = 500;

export interface Points {
  readonly operations: Handlers<keyof typeof contract>;
  /** Positions of a device as JSON text, for lists of devices that include them. */
  included(deviceId: number, wanted: Include, call: Call): Promise<string>;
}

export function points(store: Store, engine: Pick<Engine, 'evaluateAgain'>): Points {
  const fields = { timeRange: 'timestamp', isByTime: true, isIdUnindexed: true };
  const packed = packedPoints(store);
  const rows = collectionOf(store, 'points', point, { ...fields, packed, writer: positionWriter });
  const ofDevice = (call: Call) => children('deviceId', call.deviceId);
  const family = familyOf('point', rows, ofDevice);
  const familyV2 = familyOf('point', collectionOf(store, 'points', pointV2, { ...fields, packed }), ofDevice);

  /** Writes, publishes a live event, and has the device evaluated again from that time on. */
  async function evaluated<T>(call: Call, at: number, write: (tx: Kysely<Tables>) => Promise<T>): Promise<T> {
    const { deviceId, now } = call;
    const written = await store.transaction(async (tx) => {
      const result = await write(tx);
      await markLate(tx, deviceId, at);
      await placesTouched(tx, deviceId, at);
      if (typeof result === 'object' && result)
        await appendLiveEvents(tx, [{ kind: 'report', deviceId, event: { points: [(result as Row).id] } }], now);
      return result;
    });
    engine.evaluateAgain(call.deviceId);
    return written;
  }

  return {
    async included(deviceId, { scope, loose }, call) {
      const wanted = scope ?? { limit: INCLUDED_POINTS, order: 'timestamp DESC' };
      const filter = parseFilterObject(wanted, { shape: rows.shape, ...fields, isStrict: call.isStrict }, { loose });
      return rows.listBy(filter, children('deviceId', deviceId), requestOf(call));
    },

    operations: {
      listPoints: (call) => listOf(family, call),
      countPoints: (call) => countOf(family, call),
      getPoint: (call) => readOf(family, call),
      listPointsV2: (call) => listOf(familyV2, call),
      getPointV2: (call) => readOf(familyV2, call),
      async explainPoint(call) {
        const row = await rowOf(family, call);
        const found = await storedPosition(store.query, call.deviceId, call.key, ['locatingGateways', 'locationType']);
        if (found === undefined) throw childNotFound('point', call.key);
        const { locatingGateways, locationType } = found;
        const viewer = { userId: call.caller.userId, reaches: (id: number) => isWithinToken(call.caller, id) };
        const gateways = await shownGateways(store, locationType === 'gateway' ? locatingGateways : null, viewer);
        const sentence = gatewaySentence(gateways) || 'The device reported it, or a user entered it.';
        return { point: rows.present(row), gateways, sentence };
      },
      async deletePoint(call) {
        const row = await rowOf(family, call);
        await evaluated(call, row.timestamp as number, async (tx) => {
          await recordDeletedData(tx, call, { points: [call.key] });
          await unpackHolding(tx, call.deviceId, call.key);
          const isRemoved = await rows.remove(call.key, tx);
          await keepNewest(tx, call.deviceId);
          return isRemoved;
        });
        return undefined;
      },

      async deletePoints(call) {
        await recordDeletedData(store.query, call, { points: 'all' });
        const deleteSome = () =>
          store.transaction(async (tx) => {
            const deleted = await deletePositionsOf(tx, call.deviceId, DELETED_AT_ONCE);
            await markLate(tx, call.deviceId, 0);
            return deleted;
          });
        while ((await deleteSome()) > 0) await new Promise((resolve) => setImmediate(resolve));
        engine.evaluateAgain(call.deviceId);
        return undefined;
      },

      async createPoint(call) {
        const values = call.body;
        const locationType = values.locationType ?? (values.location ? 'gps' : 'invalid');
        const timestamp = values.timestamp ?? call.now;
        const point = { ...values, timestamp, locationType, created: call.now, deviceId: call.deviceId };
        const at = typeof timestamp === 'number' ? timestamp : Date.parse(timestamp as string);
        const row = await evaluated(call, at, async (tx) => {
          const made = (await rows.insert(point, tx)) as Row & { id: number; timestamp: number };
          await sendStored(tx, { deviceId: call.deviceId, points: [made] }, call.now);
          return made;
        });
        return rows.present(row);
      },

      async updatePoint(call) {
        const before = await rowOf(family, call);
        refuseMoved(call.sent, { id: call.key, deviceId: call.deviceId });
        const values = call.body;
        if (Object.keys(values).length === 0) return rows.present(before);
        const row = await evaluated(call, before.timestamp as number, async (tx) => {
          await unpackHolding(tx, call.deviceId, call.key);
          const after = await rows.update(call.key, values, tx);
          if (after === undefined) return undefined;
          await keepNewest(tx, call.deviceId);
          await markLate(tx, call.deviceId, after.timestamp as number);
          await placesTouched(tx, call.deviceId, after.timestamp as number);
          return after;
        });
        if (row === undefined) throw childNotFound('point', call.key);
        return rows.present(row);
      },
    },
  };
}
