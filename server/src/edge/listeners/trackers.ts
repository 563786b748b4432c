import type { Socket } from 'node:net';
import type { TrackerGateway } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { CertificateSource } from '../http/certificate-files.ts';
import type { FailureLimit, RateLimit } from '../http/rate-limit.ts';
import type { TrackerProtocol } from '../protocols/trackers/tracker.ts';
import { TrackerCommands } from './commands.ts';
import type { ListenerContext, TrackerPort } from './context.ts';
import { Clones, Repeats, StandingAlarms } from './device-memory.ts';
import type { FixedPort } from './listen-setting.ts';
import { TcpConnections } from './tcp.ts';
import { UdpPeers } from './udp.ts';

export interface TrackerOptions {
  readonly host: string;
  /** The port that recognises protocols; undefined for none, 0 for a free port. */
  readonly port: number | undefined;
  readonly fixed: readonly FixedPort[];
  readonly protocols: readonly TrackerProtocol[];
  /** False if only TCP is listened to. */
  readonly hasUdp?: boolean;
  readonly connections: number;
  readonly perAddress: number;
  readonly idleMs: number;
  readonly unknownMs?: number;
  readonly sweepMs?: number;
  /** Serves HTTP connections; absent if HTTP is not accepted. */
  readonly serveHttp?: (socket: Socket) => void;
  readonly certificate?: CertificateSource;
  readonly gateway: TrackerGateway;
  readonly failures: FailureLimit;
  readonly limit: RateLimit;
  readonly log: Log;
}

export interface Trackers {
  /** The port that recognises protocols; undefined if it is not available. */
  readonly port: number | undefined;
  /** The ports of the settings, in order; undefined for one that is not available. */
  readonly fixed: readonly (number | undefined)[];
  connections(): number;
  /** Number of open connections by protocol, and of connections rejected by the limits. */
  figures(): { readonly byProtocol: ReadonlyMap<string, number>; readonly refused: number };
  /** Sends a waiting message at once if the device is connected. */
  wake(deviceId: number): void;
  /** Closes the connections of a device: the next one receives its commands. */
  release(deviceId: number): void;
  stop(): Promise<void>;
}

const UNKNOWN_MS = 60_000;
const SWEEP_MS = 1000;
const MOST_PEERS = 50_000;
/** A free port is chosen for TCP; another program may use the same number for UDP. */
const TRIES = 5;

/** Listens for trackers over TCP and UDP. A port that is in use is a warning: the service runs without it. */
export async function startTrackers(options: TrackerOptions): Promise<Trackers> {
  const { host, log, idleMs, unknownMs = UNKNOWN_MS, certificate } = options;
  const { gateway, protocols, failures, limit, hasUdp = true } = options;
  const commands = new TrackerCommands(gateway, (error) => log.error({ error }, 'A command could not be sent'));
  const listener: ListenerContext = {
    gateway,
    protocols,
    failures,
    limit,
    alarms: new StandingAlarms(),
    sightings: new Repeats(),
    commands,
    clones: new Clones(),
    log,
  };
  const tcp = new TcpConnections(
    listener,
    { ...options, idleMs, unknownMs },
    certificate && (() => certificate()?.context),
  );
  const udp = new UdpPeers(listener, { peers: MOST_PEERS, idleMs });

  async function listen(number: number, port: TrackerPort): Promise<number | undefined> {
    for (let attempt = 1; ; attempt++) {
      try {
        const chosen = await tcp.listen(host, number, port);
        try {
          if (hasUdp) await udp.listen(host, chosen, port);
        } catch (error) {
          if (number === 0 && attempt < TRIES) continue;
          log.warn({ error, port: chosen }, `Cannot listen for trackers on UDP port ${chosen}`);
        }
        return chosen;
      } catch (error) {
        log.warn({ error, port: number }, `Cannot listen for trackers on port ${number}: ${nameOf(port)}`);
        return undefined;
      }
    }
  }

  const port = options.port === undefined ? undefined : await listen(options.port, {});
  const fixed: (number | undefined)[] = [];
  for (const one of options.fixed) {
    const chosen = await listen(one.number, one);
    if (chosen !== undefined) log.info({ port: chosen }, `Listening for ${nameOf(one)} on port ${chosen}`);
    fixed.push(chosen);
  }
  const sweep = setInterval(() => {
    const now = timeNow();
    commands.sweep(now);
    commands.register(now).catch((error) => log.error({ error }, 'Command channels were not registered'));
    tcp.sweep(now);
    udp.sweep(now);
  }, options.sweepMs ?? SWEEP_MS).unref();
  return {
    port,
    fixed,
    connections: () => tcp.count,
    figures: () => ({ byProtocol: tcp.byProtocol(), refused: tcp.refused }),
    wake: (deviceId) => commands.wake(deviceId),
    release: (deviceId) => commands.release(deviceId),
    async stop() {
      clearInterval(sweep);
      await Promise.all([tcp.stop(), udp.stop()]);
      await commands.settled();
    },
  };
}

const nameOf = ({ protocol }: TrackerPort) => protocol?.name ?? 'any protocol';
