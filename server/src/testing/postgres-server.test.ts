import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'node:test';
import pg from 'pg';

/** The process that starts a server may be killed at any time; the server must not outlive it. */
test('the server ends when the process that started it is killed', { skip: skipped() }, async () => {
  const starter = spawn(process.execPath, [
    '--input-type=module-typescript',
    '-e',
    `import { startPostgres } from ${JSON.stringify(new URL('./postgres-server.ts', import.meta.url).href)};
     console.log((await startPostgres()).url);
     setInterval(() => {}, 1000);`,
  ]);
  const [url] = await once(starter.stdout, 'data');
  const client = new pg.Client({ connectionString: String(url).trim() });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query(`SELECT inet_server_addr()::text AS address`);
  assert.equal(rows[0].address, '127.0.0.1/32');
  const cut = new Promise((resolve) => client.once('end', resolve));
  starter.kill('SIGKILL');
  await cut;
});

function skipped(): string | false {
  if (process.env.TRACKWAY_SKIP_POSTGRES !== '1') return false;
  console.error('\n*** NOT TESTED ON POSTGRESQL, since TRACKWAY_SKIP_POSTGRES=1: the test server itself ***\n');
  return 'TRACKWAY_SKIP_POSTGRES=1';
}
