import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import test from 'node:test';
import pg from 'pg';
import { onBothEngines } from '../../../testing/databases.ts';
import { eventually } from '../../../testing/eventually.ts';
import { watchfulLog } from '../../../testing/watchful-log.ts';
import type { Log } from '../../log.ts';
import { startNotices } from './notices.ts';

/** The message with the process number of a server: a type, a length of 12, and the number. */
const KEY_DATA = Buffer.from([0x4b, 0, 0, 0, 12]);

/** Tells another process number than the server's, as poolers do, which have connections of their own to it. */
async function startPooler(url: string): Promise<{ url: string; close(): void }> {
  const behind = new URL(url);
  const server = createServer((client) => {
    const database = connect(Number(behind.port), behind.hostname);
    for (const socket of [client, database]) socket.on('error', () => {});
    client.pipe(database);
    database.on('data', (bytes) => {
      const at = bytes.indexOf(KEY_DATA);
      if (at !== -1) bytes.writeInt32BE(1, at + KEY_DATA.length);
      client.write(bytes);
    });
    database.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = new URL(url);
  own.hostname = '127.0.0.1';
  own.port = String((server.address() as AddressInfo).port);
  return { url: own.href, close: () => server.close() };
}

const HOUR_MS = 3_600_000;

async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}

onBothEngines('notices', { migrations: [] }, (open) => {
  if (open.storeKind === 'sqlite') return;

  test('arrive from other nodes, not from the own node, and many arrive as one', async () => {
    const place = await open.emptyPlace();
    const start = () =>
      startNotices({ log: watchfulLog, connect: () => connected(place), everyMs: 1, wantedMs: HOUR_MS });
    const [one, other] = [start(), start()];
    let [atOne, atOther] = [0, 0];
    // The first call says that it listens now.
    const listening = [one, other].map((notices) => new Promise<void>((received) => notices.onNotice(received)));
    await Promise.all(listening);
    one.onNotice(() => atOne++);
    other.onNotice(() => atOther++);
    try {
      for (let i = 0; i < 1000; i++) one.announce();
      await eventually('the notice', () => atOther > 0);
      other.announce();
      await eventually('the answer', () => atOne > 0);
      assert.ok(atOther < 10, `${atOther} for a thousand at once`);
    } finally {
      for (const notices of [one, other]) await notices.stop();
    }
  });

  test('are not sent where nobody wants them, and again once somebody does', async () => {
    const place = await open.emptyPlace();
    const sent: string[] = [];
    /** Notes what it is asked to send. */
    const connect = async () => {
      const client = await connected(place);
      const query = client.query.bind(client) as (text: string) => Promise<never>;
      client.query = ((text: string) => {
        sent.push(text);
        return query(text);
      }) as never;
      return client;
    };
    let now = 0;
    const one = startNotices({ log: watchfulLog, connect, everyMs: 0, wantedMs: HOUR_MS, monotonic: () => now });
    const other = startNotices({ log: watchfulLog, connect: () => connected(place) });
    const listening = [one, other].map((notices) => new Promise<void>((received) => notices.onNotice(received)));
    await Promise.all(listening);
    let received = 0;
    one.onNotice(() => received++);
    try {
      now = HOUR_MS + 1;
      sent.length = 0;
      one.announce();
      assert.deepEqual(sent, []);
      other.want();
      await eventually('a notice arrives again', () => {
        one.announce();
        return sent.length > 0;
      });
      assert.equal(received, 0, 'a subscription is no notice');
    } finally {
      for (const notices of [one, other]) await notices.stop();
    }
  });

  test('are given up behind a pooler, with a word how to get around it', async () => {
    const pooler = await startPooler(await open.emptyPlace());
    const said: string[] = [];
    const warn = (...words: unknown[]) => void said.push(String(words.at(-1)));
    const log: Log = { ...watchfulLog, warn };
    const notices = startNotices({ log, connect: () => connected(pooler.url) });
    try {
      notices.announce();
      await eventually('a word', () => said.length > 0);
      assert.match(said[0]!, /TRACKWAY_DATABASE_DIRECT_URL/);
    } finally {
      await notices.stop();
      pooler.close();
    }
  });
});
