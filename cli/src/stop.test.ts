import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ADMIN, asAdmin, ENDS_WITH_PARENT, MAIN, serve, tempFolder } from './testing/trackway.ts';

const LOGIN = JSON.stringify(ADMIN);

/** Sends the head of a log-in and half its body, and waits until the server has taken the head. */
async function halfLogin(address: string): Promise<Socket> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  socket.on('error', () => {});
  socket.write(
    `POST /api/users/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${LOGIN.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  const [first] = await once(socket, 'data');
  assert.match(first, /^HTTP\/1\.1 100 Continue/);
  socket.write(LOGIN.slice(0, 20));
  return socket;
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} finishes a request in progress, then exits with 0`, async (t) => {
    const { address, child, said, ended } = await serve(t, asAdmin);
    const socket = await halfLogin(address);
    child.kill(signal);
    await said.waitFor(/^Stopping/m);
    socket.write(LOGIN.slice(20));
    const answer = await text(socket);
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.match(answer, /"ttl":1209600/);
    assert.deepEqual(await ended, [0, null], 'the socket, kept alive, held it up');
  });
}

test('an idle connection does not delay the stop', async (t) => {
  const { address, child, ended } = await serve(t);
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const [response] = await once(request(`${address}/healthz`, { agent }).end(), 'response');
  await text(response);
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});

test('a client that stalls within its request is left behind', async (t) => {
  const { address, child, ended } = await serve(t);
  const socket = await halfLogin(address);
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  socket.destroy();
});

test('it stops when npm is terminated and the shell in between does not forward the signal', async (t) => {
  const data = await tempFolder();
  const command = `"${process.execPath}" ${ENDS_WITH_PARENT.join(' ')} "${MAIN}"`;
  // Its standard input is a pipe of ours that does not end with the shell.
  const script = `${command} serve --port 0 --data "${data}" <&3; true`;
  const shell = spawn('sh', ['-c', script], {
    env: { ...process.env, npm_lifecycle_event: 'start', TRACKWAY_TRACKERS_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    // A group of its own, so that nothing of it is left if the test fails.
    detached: true,
  });
  t.after(() => {
    try {
      process.kill(-shell.pid!, 'SIGKILL');
    } catch {
      // They are all gone, as they should be.
    }
  });
  const [first] = await once(shell.stdout!.setEncoding('utf8'), 'data');
  assert.match(first, /^Trackway is running at /);
  // Its standard output ends with the last process that has it.
  const remaining = text(shell.stdout!);
  shell.kill('SIGTERM');
  assert.match(await remaining, /^Stopping/m);
});

test('a second signal, later than one key press, exits immediately', async (t) => {
  const { address, child, said, ended } = await serve(t);
  const socket = await halfLogin(address);
  child.kill('SIGINT');
  await said.waitFor(/^Stopping/m);
  const over = ended.then(() => true);
  while (!(await Promise.race([over, delay(100, false)]))) child.kill('SIGINT');
  assert.deepEqual(await ended, [1, null]);
  assert.equal(said.err, '', 'the limit of time ended it');
  socket.destroy();
});
