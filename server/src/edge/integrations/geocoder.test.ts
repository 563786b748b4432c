import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createEgress } from '../../platform/egress/client.ts';
import { createLog } from '../../platform/log.ts';
import { createGeocoder } from './geocoder.ts';
import { GEOCODER_FORMS, type GeocoderKind } from './geocoder-forms.ts';

/** Made-up answers in the form of each geocoder. */
const ANSWERS: Record<GeocoderKind, unknown> = {
  nominatim: {
    display_name: '12, Mill Lane, Newtown, Nowhere',
    address: { house_number: '12', road: 'Mill Lane', town: 'Newtown', country: 'Nowhere' },
  },
  photon: { features: [{ properties: { housenumber: '12', street: 'Mill Lane', city: 'Newtown' } }] },
  pelias: {
    features: [{ properties: { housenumber: '12', street: 'Mill Lane', locality: 'Newtown', label: '12 Mill Lane' } }],
  },
};

const FEATURE = { geometry: { coordinates: [5.1, 52.1] } };
const FOUND: Record<GeocoderKind, unknown> = {
  nominatim: [{ display_name: '12, Mill Lane, Newtown', lat: '52.1', lon: '5.1' }, { display_name: 'Nowhere' }, null],
  photon: { features: [{ ...FEATURE, properties: { housenumber: '12', street: 'Mill Lane', city: 'Newtown' } }, {}] },
  pelias: { features: [{ ...FEATURE, properties: { label: '12 Mill Lane, Newtown' } }, { properties: null }] },
};

async function geocoderAt(
  t: TestContext,
  kind: GeocoderKind,
  answer: () => unknown = () => ANSWERS[kind],
  most = 1000,
) {
  const asked: URL[] = [];
  const server = createServer((request, response) => {
    asked.push(new URL(request.url!, 'http://geocoder'));
    const said = answer();
    response.writeHead(said === undefined ? 500 : 200).end(typeof said === 'string' ? said : JSON.stringify(said));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const egress = createEgress({ allowTargets: '127.0.0.0/8', own: () => [] });
  const geocoder = createGeocoder({
    url: `http://127.0.0.1:${port}/geo/?key=sesame`,
    kind,
    perSecond: most,
    attribution: 'Made up',
    egress,
    log: createLog('silent'),
    agent: 'Trackway/test',
  });
  t.after(() => {
    geocoder.close();
    egress.close();
    server.close();
  });
  return { asked, geocoder };
}

for (const kind of Object.keys(GEOCODER_FORMS) as GeocoderKind[])
  test(`${kind} is asked and read`, async (t) => {
    const { asked, geocoder } = await geocoderAt(t, kind);
    const found = await geocoder.addressOf(1, { lat: 52.123456, lng: 5.000004 });
    assert.deepEqual(found, { address: 'Mill Lane 12, Newtown', isWaiting: false });
    const [{ pathname, search }] = asked as [URL];
    assert.equal(pathname, `/geo${GEOCODER_FORMS[kind].path}`);
    assert.match(search, /key=sesame/);
    assert.match(search, /52\.1235/);
    assert.match(search, /5\.0000/);
  });

for (const kind of Object.keys(GEOCODER_FORMS) as GeocoderKind[])
  test(`${kind} searches, once for the same text and region, and leaves out what has no place`, async (t) => {
    const { asked, geocoder } = await geocoderAt(t, kind, () => FOUND[kind]);
    for (const text of ['Mill Lane  12', ' mill lane 12']) {
      const { places, isWaiting } = await geocoder.search(1, text, { lat: 51.9, lng: 5.2 });
      assert.equal(isWaiting, false);
      assert.deepEqual(
        places.map(({ lat, lng }) => [lat, lng]),
        [[52.1, 5.1]],
      );
      assert.match(places[0]!.name, /Mill Lane.*Newtown/);
    }
    assert.equal(asked.length, 1);
    assert.equal(asked[0]!.pathname, `/geo${GEOCODER_FORMS[kind].search.path}`);
    assert.match(decodeURIComponent(asked[0]!.search), /Mill\+Lane\+12/);
  });

test('a search that fails finds nothing', async (t) => {
  const { geocoder } = await geocoderAt(t, 'photon', () => undefined);
  assert.deepEqual(await geocoder.search(1, 'Mill Lane', undefined), { places: [], isWaiting: false });
});

test('a place is asked for once', async (t) => {
  const { asked, geocoder } = await geocoderAt(t, 'nominatim');
  const near = [52.50001, 52.50002, 52.49998].map((lat) => geocoder.addressOf(1, { lat, lng: 13 }));
  assert.equal(new Set((await Promise.all(near)).map(({ address }) => address)).size, 1);
  await geocoder.addressOf(2, { lat: 52.5, lng: 13 });
  assert.equal(asked.length, 1);
});

test('what it does not know, and what it answers wrongly, is no address and is not asked for again at once', async (t) => {
  for (const answer of [
    { error: 'Unable to geocode' },
    'no JSON',
    undefined,
    { address: { road: 7 } },
    { features: 3 },
  ]) {
    const { asked, geocoder } = await geocoderAt(t, 'nominatim', () => answer);
    for (let again = 0; again < 2; again++)
      assert.deepEqual(await geocoder.addressOf(1, { lat: 1, lng: 2 }), { address: null, isWaiting: false });
    assert.equal(asked.length, 1, JSON.stringify(answer));
  }
});

test('one user fills no queue for the others, and a full queue answers to wait', async (t) => {
  const { geocoder } = await geocoderAt(t, 'photon', undefined, 0.001);
  const of = (userId: number, lng: number) => geocoder.addressOf(userId, { lat: 1, lng });
  const first = of(1, 0);
  const waiting = Array.from({ length: 30 }, (_, index) => of(1, index + 1));
  // More than a user may have waiting: refused at once, whatever the pace.
  assert.deepEqual(await waiting[29], { address: null, isWaiting: true });
  assert.equal((await first).address, 'Mill Lane 12, Newtown');
});

test('the guard keeps it from addresses inside the network that nobody allowed', async () => {
  const egress = createEgress({ allowTargets: '' });
  const geocoder = createGeocoder({
    url: 'http://127.0.0.1:1',
    kind: 'nominatim',
    perSecond: 1000,
    attribution: '',
    egress,
    log: createLog('silent'),
    agent: 'test',
  });
  assert.deepEqual(await geocoder.addressOf(1, { lat: 1, lng: 1 }), { address: null, isWaiting: false });
  geocoder.close();
  egress.close();
});
