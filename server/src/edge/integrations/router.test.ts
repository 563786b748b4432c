import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../platform/log.ts';
import { createRouter, type RouterKind } from './router.ts';

const FROM = { lat: 50.1, lng: 8.6 };
const TO = { lat: 50.2, lng: 8.7 };
/** Answers in the form of each service: 12,345.6 m in 900.4 s. */
const ANSWERS: Record<RouterKind, unknown> = {
  osrm: { code: 'Ok', routes: [{ distance: 12_345.6, duration: 900.4 }] },
  valhalla: { sources_to_targets: [[{ distance: 12.3456, time: 900.4 }]], units: 'kilometers' },
};

function routerAt(kind: RouterKind, answer: () => unknown = () => ANSWERS[kind]) {
  const asked: URL[] = [];
  let now = 0;
  const router = createRouter({
    ...{ url: 'http://roads.example.com/api/?key=sesame', kind, log: createLog('silent'), agent: 'Trackway/test' },
    monotonic: () => now,
    egress: {
      get: async ({ url }) => {
        asked.push(new URL(url));
        const said = answer();
        if (said instanceof Error) throw said;
        return { status: 200, headers: {}, text: typeof said === 'string' ? said : JSON.stringify(said) };
      },
    },
  });
  return { asked, router, pass: (ms: number) => (now += ms) };
}

for (const kind of ['osrm', 'valhalla'] as const)
  test(`${kind} is asked for a route and read`, async () => {
    const { asked, router } = routerAt(kind);
    assert.deepEqual(await router.routeOf(7, FROM, TO), { distance: 12_346, duration: 900 });
    const { pathname, searchParams } = asked[0]!;
    assert.equal(searchParams.get('key'), 'sesame');
    if (kind === 'osrm') assert.equal(pathname, '/api/route/v1/driving/8.60000,50.10000;8.70000,50.20000');
    else assert.deepEqual(JSON.parse(searchParams.get('json')!).sources, [{ lat: 50.1, lon: 8.6 }]);
  });

test('a device that moves is asked for again after 20 seconds, one that stands never', async () => {
  const { asked, router, pass } = routerAt('osrm');
  await router.routeOf(7, FROM, TO);
  await router.routeOf(7, { ...FROM, lat: 50.11 }, TO);
  assert.equal(asked.length, 1);
  pass(60_000);
  await router.routeOf(7, FROM, TO);
  assert.equal(asked.length, 1, 'it stands where it was');
  assert.ok(await router.routeOf(7, { ...FROM, lat: 50.11 }, TO), 'meanwhile the last route is shown');
  assert.equal(asked.length, 2);
});

test('without a road, and from a service that fails, there is no route, and it is not asked at once again', async () => {
  for (const answer of [{ code: 'NoRoute', routes: [] }, 'no JSON', { routes: 3 }, new Error('away')]) {
    const { asked, router } = routerAt('osrm', () => answer);
    for (let again = 0; again < 2; again++) assert.equal(await router.routeOf(7, FROM, TO), null);
    assert.equal(asked.length, 1);
  }
  const { router } = routerAt('valhalla', () => ({ sources_to_targets: [[{ distance: null, time: null }]] }));
  assert.equal(await router.routeOf(7, FROM, TO), null);
});
