import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ADMIN, asAdmin, serve, tempFolder, trackway } from '../testing/trackway.ts';

test('a file becomes positions of a device, and goes on where it was interrupted', async (t) => {
  const { address } = await serve(t, asAdmin);
  const env = (token = '') => ({ env: { TRACKWAY_URL: address, TRACKWAY_TOKEN: token } });
  const login = await trackway(['call', 'login', '--body', JSON.stringify(ADMIN)], env());
  const { id: token } = JSON.parse(login.out);
  const made = await trackway(['call', 'createDevice', '--body', '{"name":"Van"}'], env(token));
  const device = String(JSON.parse(made.out).id);
  const rows = Array.from({ length: 3000 }, (_, row) => `${1_600_000_000 + row * 10},50,${8 + row / 10_000}`);
  const folder = await tempFolder();
  const broken = join(folder, 'broken.csv');
  await writeFile(broken, ['time,lat,lng', ...rows.slice(0, 2500), 'yesterday,1,2'].join('\n'));
  const failed = await trackway(['import', broken, '--device', device], env(token));
  assert.equal(failed.code, 1);
  assert.match(failed.err, /broken\.csv: Line 2502: has no time/);
  const resume = /--resume (\d+)/.exec(failed.err)![1]!;
  const whole = join(folder, 'whole.csv');
  await writeFile(whole, ['time,lat,lng', ...rows].join('\n'));
  const done = await trackway(['import', whole, '--device', device, '--resume', resume], env(token));
  assert.equal(done.code, 0, done.err);
  assert.equal(done.out, '3000 positions read: 3000 stored, 0 already known, 0 rejected.\n');
  const wrong = await trackway(['import', whole], env(token));
  assert.equal(wrong.code, 2);
});

test('a server that cannot be reached is named at once, with the reason', async () => {
  const file = join(await tempFolder(), 'one.csv');
  await writeFile(file, 'time,lat,lng\n1600000000,50,8');
  const { code, err } = await trackway(['import', file, '--device', '1', '--url', 'http://127.0.0.1:2']);
  assert.equal(code, 1);
  assert.equal(
    err,
    'Cannot reach Trackway at http://127.0.0.1:2: connection refused. To name another server, use --url or TRACKWAY_URL.\n',
  );
});
