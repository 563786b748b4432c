import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accept } from '@trackway/contract/accept.ts';
import { geofence } from '@trackway/contract/resources/geofence.ts';
import { type ShownGeofence, sentGeofence } from '@trackway/contract/resources/v2/geofence-v2.ts';
import type { Noun } from '@trackway/contract/schema.ts';
import fc from 'fast-check';
import { JsonText } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeUser } from '../../testing/people.ts';
import { deviceAccess } from '../devices/access.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import type { Geofence } from './fences.ts';
import { geofenceOperations } from './operations.ts';
import { geofenceV2Operations } from './operations-v2.ts';

const SEED = 20_260_601;
const RUNS = 40;

const degrees = (most: number) => fc.double({ min: -most, max: most, noNaN: true, noDefaultInfinity: true });
const place = fc.record({ lat: degrees(90), lng: degrees(180) });
const outline = fc
  .uniqueArray(place, { minLength: 3, maxLength: 6, selector: ({ lat, lng }) => `${lat},${lng}` })
  .map((corners) => JSON.parse(JSON.stringify(corners)) as { lat: number; lng: number }[])
  .filter((corners) => new Set(corners.map(({ lat, lng }) => `${lat},${lng}`)).size >= 3);
const short = fc.string({ maxLength: 20, unit: 'grapheme-ascii' });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

const share = (min: number, max: number) => fc.double({ min, max, noNaN: true });

/** A fence of either shape, of both, or of none. */
const fence = fc
  .record({
    name: maybe(short),
    type: maybe(short),
    foreignId: maybe(short),
    outline: maybe(outline),
    center: maybe(place),
    radius: maybe(fc.double({ min: 0, max: 20_000_000, noNaN: true })),
    meta: maybe(
      fc
        .tuple(
          fc.dictionary(fc.constantFrom('floor', 'note'), short, { maxKeys: 2 }),
          fc.record(
            {
              enterConfidence: share(0.5, 0.99),
              exitConfidence: share(0.01, 0.49),
              enterAfter: fc.nat(1000),
              exitAfter: fc.double({ min: 0, max: 1000, noNaN: true }),
            },
            { requiredKeys: [] },
          ),
        )
        .map(([custom, thresholds]) => ({ ...custom, ...thresholds })),
    ),
  })
  .map((values) => JSON.parse(JSON.stringify(values)) as Record<string, unknown>);

onEitherEngine<Tables>('geofences of both versions', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const access = deviceAccess(store);
    const one = geofenceOperations(store, access);
    const two = geofenceV2Operations(store, access);
    const taken = (noun: Noun, mode: 'create' | 'update', sent: object) => {
      const { values, violations } = accept(noun, mode, { ...sent });
      assert.deepEqual(violations, []);
      return { body: values as never, sent: sent as never };
    };
    const keys = (fenceid: number) => ({ userid: owner.userId, fenceid }) as never;
    return {
      inV1: async (key: number): Promise<Geofence> => {
        const answer = await one.getGeofence(callOf(owner, { key }));
        assert.ok(answer instanceof JsonText);
        return JSON.parse(answer.text);
      },
      listV1: async (filter: object): Promise<Geofence[]> => {
        const answer = await one.listGeofences(callOf(owner, { query: [['filter', JSON.stringify(filter)]] }));
        assert.ok(answer instanceof JsonText);
        return JSON.parse(answer.text);
      },
      inV2: async (id: number) =>
        (await two.getGeofenceV2(callOf(owner, { keys: keys(id) }) as never)) as ShownGeofence,
      createV1: async (sent: object) =>
        (await one.createGeofence(callOf(owner, taken(geofence, 'create', sent)))) as Geofence,
      createV2: async (sent: object) =>
        (await two.createGeofenceV2(callOf(owner, taken(sentGeofence, 'create', sent)) as never)) as ShownGeofence,
      updateV1: async (key: number, sent: object) =>
        (await one.updateGeofence(callOf(owner, { key, ...taken(geofence, 'update', sent) }))) as Geofence,
      updateV2: async (id: number, sent: object) =>
        (await two.updateGeofenceV2(
          callOf(owner, { keys: keys(id), ...taken(sentGeofence, 'update', sent) }) as never,
        )) as ShownGeofence,
    };
  }

  /** What version 2 must show of a fence as version 1 shows it. */
  const translated = (shown: Geofence) => {
    const unset = { enterConfidence: null, exitConfidence: null, enterAfter: null, exitAfter: null };
    const { enterConfidence, exitConfidence, enterAfter, exitAfter, ...meta } = { ...unset, ...shown.meta };
    return { ...described(shown), enterConfidence, exitConfidence, enterAfter, exitAfter, meta };
  };
  const described = (shown: Geofence) => ({
    id: shown.id,
    ownerId: shown.userId,
    name: shown.name,
    type: shown.type,
    foreignId: shown.foreignId,
    outline: shown.outline,
    center: shown.center,
    radius: shown.radius === null ? null : Math.max(1, Math.round(shown.radius)),
    modified: shown.modified,
    deviceId: shown.deviceId,
    listId: null,
  });

  test('what one makes the other shows, and sending it back through the other loses nothing', async () => {
    const { inV1, inV2, createV1, createV2, updateV1, updateV2 } = await setting();
    await fc.assert(
      fc.asyncProperty(fence, fc.boolean(), async (sent, isFirst) => {
        const { id } = isFirst ? await createV1(sent) : await createV2(sent);
        const [old, young] = [await inV1(id), await inV2(id)];
        assert.deepEqual(young, translated(old));
        for (const field of Object.keys(sent)) assert.deepEqual(old[field as keyof Geofence], sent[field], field);
        await updateV2(id, young);
        assert.deepEqual({ ...(await inV1(id)), meta: old.meta ?? {} }, { ...old, meta: old.meta ?? {} });
        await updateV1(id, old);
        assert.deepEqual(await inV2(id), young);
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: true },
    );
  });

  test('thresholds are fields in version 2 and in meta in version 1; a field wins over meta', async () => {
    const { inV1, inV2, createV1, createV2, updateV1, updateV2 } = await setting();
    const { id } = await createV1({ meta: { floor: 2, enterAfter: 60, enterConfidence: 0.9 } });
    const shown = await inV2(id);
    assert.deepEqual([shown.enterAfter, shown.enterConfidence, shown.exitAfter], [60, 0.9, null]);
    assert.deepEqual(shown.meta, { floor: 2 });

    await updateV2(id, { meta: { floor: 3 }, exitAfter: 30 });
    const all = { floor: 3, enterAfter: 60, enterConfidence: 0.9, exitAfter: 30 };
    assert.deepEqual((await inV1(id)).meta, all);
    await updateV2(id, { meta: { floor: 3, enterAfter: 10, exitAfter: 20 }, enterAfter: 5, enterConfidence: null });
    assert.deepEqual((await inV1(id)).meta, { floor: 3, enterAfter: 5, exitAfter: 20 });
    await updateV1(id, { meta: { floor: 4 } });
    assert.equal((await inV2(id)).enterAfter, null);
    assert.equal((await createV2({ enterAfter: 5, meta: { enterAfter: 6 } })).enterAfter, 5);
    assert.equal((await inV1((await createV2({ name: 'Plain' })).id)).meta, null);

    const wrong = { statusCode: 422, message: /enterConfidence/ };
    await updateV2(id, { exitConfidence: 0.6 });
    await assert.rejects(updateV2(id, { enterConfidence: 0.5 }), wrong);
    await assert.rejects(updateV1(id, { meta: { enterConfidence: 0.2 } }), wrong);
    await assert.rejects(updateV1(id, { meta: { enterConfidence: 1 } }), wrong);
    await assert.rejects(updateV2(id, { meta: { enterConfidence: 'much' } }), wrong);
  });

  test('version 1 filters by thresholds as by other values of meta', async () => {
    const { inV1, createV2, listV1 } = await setting();
    const { id } = await createV2({ enterAfter: 60 });
    await createV2({ meta: { floor: 2 } });
    assert.deepEqual(await listV1({ where: { 'meta.enterAfter': { gte: 60 } } }), [await inV1(id)]);
  });

  test('a radius is stored as it was sent and shown in whole metres', async () => {
    const { inV1, createV2, updateV2 } = await setting();
    const { id, radius } = await createV2({ center: { lat: 1, lng: 2 }, radius: 0.25 });
    assert.equal(radius, 1);
    assert.equal((await updateV2(id, { radius: 1, name: 'Small' })).name, 'Small');
    assert.equal((await inV1(id)).radius, 0.25);
    assert.equal((await updateV2(id, { radius: 2.5 })).radius, 3);
    assert.equal((await inV1(id)).radius, 2.5);
    await assert.rejects(updateV2(id, { ownerId: 900_000_001 }), { statusCode: 400, message: /ownerId/ });
  });
});
