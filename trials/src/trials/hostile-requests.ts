import { Agent, request } from 'node:http';
import { Random } from '@trackway/simulator/random.ts';
import { apiOf } from '../../../e2e/src/harness/api.ts';
import { makeStation } from '../../../e2e/src/harness/station.ts';
import { serve } from '../fleet/serve.ts';
import { Tally } from '../fleet/tally.ts';
import { type HostileRequest, hostileRequest, type Tokens } from '../hostile/generate.ts';
import { placesOn } from '../places/places.ts';
import type { Trial } from '../trial.ts';

const AT_ONCE = 16;
const SHOWN = 200;

/** Generated requests without sense or with bad sense: each gets an answer that says what is wrong. */
export const hostileRequests: Trial = {
  about: 'generated hostile requests; a fault is a 500, an exit, or a 503 or 507 without the time of the next attempt',
  tries: { quick: 3000, full: 100_000 },
  async run(total, progress) {
    await using places = await placesOn('sqlite');
    const tally = new Tally();
    const server = await serve('sqlite', await places.make());
    const api = apiOf(server.address);
    const { owner, admin, device } = await makeStation(api);
    const { deviceKey } = await owner.client.rotateDeviceKey({ id: device });
    const tokens: Tokens = { user: owner.token, admin: admin.token, deviceKey: deviceKey! };
    const random = new Random(20_261_115);
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    const statuses = new Map<string, number>();
    let sent = 0;
    const worker = async () => {
      while (sent < total && server.isRunning()) {
        sent += 1;
        const hostile = hostileRequest(random, tokens);
        const answer = await exchange(agent, server.address, hostile);
        const status = answer?.status ?? 0;
        const kind = status === 0 ? 'without an answer' : `with ${status}`;
        statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
        const isImpolite = (status === 503 || status === 507) && answer!.retryAfter === undefined;
        if (status === 500 || isImpolite)
          tally.fault([`${status}: ${hostile.method} ${hostile.path} ${hostile.body ?? ''}`.slice(0, SHOWN)]);
        progress(sent);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    agent.destroy();
    if (!server.isRunning()) tally.fault([`the server ended: ${server.output().slice(-500)}`]);
    else if ((await fetch(`${server.address}/readyz`)).status !== 200) tally.fault(['the server is not ready']);
    api.close();
    await server.stop();
    for (const [kind, count] of [...statuses].sort()) tally.note(kind, count);
    return tally.result(sent);
  },
};

/** Undefined where the connection ended without an answer, as with a body that is too large. */
function exchange(
  agent: Agent,
  address: string,
  { method, path, headers, body }: HostileRequest,
): Promise<{ status: number; retryAfter: string | undefined } | undefined> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    const length: Record<string, string> =
      body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = request(
      { agent, hostname, port, method, path, headers: { ...headers, ...length } },
      (incoming) => {
        incoming.resume();
        const answer = { status: incoming.statusCode!, retryAfter: incoming.headers['retry-after'] };
        // A live stream has no end of its own.
        if (incoming.headers['content-type']?.startsWith('text/event-stream')) {
          outgoing.destroy();
          return resolve(answer);
        }
        incoming.on('end', () => resolve(answer)).on('error', () => resolve(answer));
      },
    );
    outgoing.on('error', () => resolve(undefined));
    outgoing.end(body);
  });
}
