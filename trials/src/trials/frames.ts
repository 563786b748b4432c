import { connect } from 'node:net';
import { setImmediate as breath } from 'node:timers/promises';
import { Random } from '@trackway/simulator/random.ts';
import type { ServerProcess } from '../../../e2e/src/harness/server-process.ts';
import type { TrackerProtocol, TrackerSession } from '../../../server/src/edge/protocols/trackers/tracker.ts';
import { trackerProtocols } from '../../../server/src/edge/protocols/trackers/trackers.ts';
import { serve } from '../fleet/serve.ts';
import { Tally } from '../fleet/tally.ts';
import { mutated } from '../hostile/mutate.ts';
import STREAMS from '../hostile/tracker-streams.json' with { type: 'json' };
import { placesOn } from '../places/places.ts';
import type { Progress, Trial } from '../trial.ts';

/** One connection for so many frames. */
const FRAMES_PER_CONNECTION = 1000;
const CONNECTIONS_AT_ONCE = 20;
const BATCH = 10_000;
const PATIENCE_MS = 20_000;

/** Frames of trackers, changed at random, through every decoder and through a listener. */
export const frames: Trial = {
  about: 'changed frames of trackers; a fault is an exception of a decoder, or a listener that no longer answers',
  tries: { quick: 200_000, full: 10_000_000 },
  async run(tries, progress) {
    const tally = new Tally();
    await decodeAll(tries, tally, progress);
    await using places = await placesOn('sqlite');
    const server = await serve('sqlite', await places.make());
    await listenTo(server, Math.max(CONNECTIONS_AT_ONCE, Math.round(tries / FRAMES_PER_CONNECTION)), tally);
    if (!server.isRunning()) tally.fault([`the server ended: ${server.output().slice(-500)}`]);
    else if ((await fetch(`${server.address}/readyz`)).status !== 200) tally.fault(['the server is not ready']);
    await server.stop();
    return tally.result(tries);
  },
};

const streams = Object.entries(STREAMS).flatMap(([name, all]) =>
  all.map((hex) => ({ name, bytes: Buffer.from(hex, 'hex') })),
);
const protocolOf = new Map(trackerProtocols.map((protocol) => [protocol.name as string, protocol]));
const session: TrackerSession = {
  transport: 'tcp',
  now: Date.parse('2026-03-05T12:00:00Z'),
  identity: '359999000000011',
  acceptsWrongChecksum: true,
  memory: {},
};

async function decodeAll(tries: number, tally: Tally, progress: Progress): Promise<void> {
  const random = new Random(20_261_116);
  let decoded = 0;
  for (let tried = 0; tried < tries; tried += 1) {
    const { name, bytes } = streams[random.below(streams.length)]!;
    const changed = mutated(random, bytes, streams[random.below(streams.length)]!.bytes);
    // Mostly by the protocol that it was of; each other one must bear it too.
    const protocol = random.chance(0.75)
      ? protocolOf.get(name)!
      : trackerProtocols[random.below(trackerProtocols.length)]!;
    try {
      decoded += recordsOf(protocol, changed, random.chance(0.1) ? 'udp' : 'tcp');
    } catch (error) {
      tally.fault([`${protocol.name}: ${(error as Error).message} by ${changed.toString('hex')}`]);
    }
    if (tried % BATCH === 0) {
      progress(tried);
      await breath();
    }
  }
  tally.note('records decoded', decoded);
}

function recordsOf(protocol: TrackerProtocol, bytes: Buffer, transport: TrackerSession['transport']): number {
  protocol.recognise(bytes);
  const { frames } =
    transport === 'udp' && protocol.splitDatagram ? protocol.splitDatagram(bytes) : protocol.split(bytes);
  let records = 0;
  for (const frame of frames) records += protocol.decode(frame, { ...session, transport }).records.length;
  // As if another splitter had cut it.
  return records + protocol.decode(bytes, { ...session, transport }).records.length;
}

async function listenTo(server: ServerProcess, connections: number, tally: Tally): Promise<void> {
  const random = new Random(7);
  let left = connections;
  const worker = async () => {
    while (left > 0 && server.isRunning()) {
      left -= 1;
      const parts = Array.from({ length: 5 }, () => {
        const { bytes } = streams[random.below(streams.length)]!;
        return mutated(random, bytes, streams[random.below(streams.length)]!.bytes);
      });
      await say(server.trackersPort, Buffer.concat([streams[random.below(streams.length)]!.bytes, ...parts]));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS_AT_ONCE }, worker));
  tally.note('connections', connections);
}

/** Says it and hangs up, or is hung up on. */
function say(port: number, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
    socket.on('error', () => {});
    socket.on('close', () => resolve());
    socket.resume();
    socket.end(bytes);
  });
}
