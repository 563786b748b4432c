import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import test, { after } from 'node:test';
import { eventually } from '../../server/src/testing/eventually.ts';
import { onOneEngine, type Running } from './harness/engines.ts';
import { startServer } from './harness/server-process.ts';

const LARGEST = '/api/openapi.json';
/** Of pipelined requests, as many as Node reads in one go. */
const PIPELINED_BYTES = 31_000;
const CONNECTIONS = 8;
/** All that these requests ask for would be more than 1 GB. */
const MAX_GROWTH_MB = 200;

/** Resident memory of a process, in MB. */
async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1024;
}

/** A connection that never reads. */
async function deaf({ api }: Running): Promise<Socket> {
  const socket = connect(Number(new URL(api.address).port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

onOneEngine(
  'clients that never read',
  (running) => {
    const open: Socket[] = [];
    after(() => {
      for (const socket of open) socket.destroy();
    });

    test('what they ask for is made one by one, others are answered, and they are let go', async () => {
      // Once before, so that the file is in memory.
      const { text } = await running.api('GET', LARGEST);
      assert.ok(text.length > 400_000);
      const before = await memoryOf(running.server.pid);
      const request = `GET ${LARGEST} HTTP/1.1\r\nHost: x\r\n\r\n`;
      const many = request.repeat(Math.floor(PIPELINED_BYTES / request.length / 3));
      for (let n = 0; n < CONNECTIONS; n += 1) {
        const socket = await deaf(running);
        open.push(socket);
        socket.write(many);
      }
      let most = before;
      const isLetGo = async () => {
        assert.equal((await running.api('GET', '/healthz')).status, 200);
        most = Math.max(most, await memoryOf(running.server.pid));
        // To write now and then does not help.
        for (const socket of open) if (!socket.destroyed) socket.write('\r\n');
        return open.every(({ destroyed }) => destroyed);
      };
      await eventually('the server lets go of them', isLetGo);
      assert.ok(most - before < MAX_GROWTH_MB, `${Math.round(most - before)} MB more`);
    });

    test('a connection that asks for more than it may have waiting is closed', async () => {
      const socket = await deaf(running);
      open.push(socket);
      socket.write(`GET ${LARGEST} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(500));
      await eventually('it is closed', () => {
        if (!socket.destroyed) socket.write('\r\n');
        return socket.destroyed;
      });
      assert.equal((await running.api('GET', '/healthz')).status, 200);
    });
  },
  {},
  startServer,
);

onOneEngine(
  'connections of one address',
  (running) => {
    test('no more than the setting allows; when some end, others may come', async (context) => {
      const sockets: Socket[] = [];
      context.after(() => {
        for (const socket of sockets) socket.destroy();
      });
      for (let n = 0; n < 30; n += 1) sockets.push(await deaf(running));
      for (const socket of sockets) socket.resume();
      await eventually('ten are closed', () => sockets.filter(({ closed }) => closed).length === 10);
      for (const socket of sockets) socket.destroy();
      await eventually('another is answered', async () => {
        const answer = await fetch(`${running.api.address}/healthz`).catch(() => undefined);
        return answer?.status === 200;
      });
    });
  },
  { TRACKWAY_CONNECTION_LIMIT: '20' },
);

onOneEngine(
  'files without a token',
  (running) => {
    test('are counted per address like any other request', async () => {
      const statuses = new Set<number>();
      for (const path of ['/docs', '/pages/pages.css', '/', LARGEST])
        for (let n = 0; n < 12; n += 1) statuses.add((await running.api('GET', path)).status);
      assert.ok(statuses.has(200) && statuses.has(429), [...statuses].join());
      assert.equal((await running.api('GET', '/healthz')).status, 200);
    });
  },
  { TRACKWAY_RATE_LIMIT: '20' },
);
