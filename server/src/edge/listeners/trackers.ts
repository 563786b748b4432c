import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { TrackerDesk } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { FailureLimit } from '../http/connections/failure-limit.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import type { TrackerProtocol } from '../protocols/trackers/tracker.ts';
import { Clones } from './clones.ts';
import { TrackerCommands } from './commands.ts';
import type { FixedPort } from './listen-setting.ts';
import type { TrackerOffice, TrackerPort } from './office.ts';
import { Repeats } from './repeats.ts';
import { StandingAlarms } from './standing-alarms.ts';
import { TcpConnections } from './tcp.ts';
import { UdpPeers } from './udp.ts';

export interface TrackerOptions {
  readonly host: string;
  /** The port that recognises who speaks; undefined for none, 0 for a free one. */
  readonly port: number | undefined;
  readonly fixed: readonly FixedPort[];
  readonly protocols: readonly TrackerProtocol[];
  readonly connections: number;
  readonly perAddress: number;
  readonly idleMs: number;
  readonly unknownMs?: number;
  readonly sweepMs?: number;
  /** Files of a certificate and its key. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  readonly desk: TrackerDesk;
  readonly failures: FailureLimit;
  readonly limit: RateLimit;
  readonly log: Log;
}

export interface Trackers {
  /** The port that recognises who speaks; undefined where it could not be had. */
  readonly port: number | undefined;
  /** Those of the settings, in their order; undefined where one could not be had. */
  readonly fixed: readonly (number | undefined)[];
  connections(): number;
  /** Open connections by protocol, and how many were refused for want of room. */
  figures(): { readonly byProtocol: ReadonlyMap<string, number>; readonly refused: number };
  /** A message waits for a device: it is sent at once if the device is connected. */
  wake(deviceId: number): void;
  stop(): Promise<void>;
}

const UNKNOWN_MS = 60_000;
const SWEEP_MS = 1000;
const MOST_PEERS = 50_000;
/** A free port is chosen for TCP; another program may have the same for UDP. */
const TRIES = 5;

/** Listens to trackers, by TCP and UDP. A port that is taken is a warning: the service runs on without it. */
export async function startTrackers(options: TrackerOptions): Promise<Trackers> {
  const { host, log, idleMs, unknownMs = UNKNOWN_MS, certificate } = options;
  const { desk, protocols, failures, limit } = options;
  const commands = new TrackerCommands(desk, (error) => log.error({ error }, 'A command could not be sent'));
  const office: TrackerOffice = {
    desk,
    protocols,
    failures,
    limit,
    alarms: new StandingAlarms(),
    hearings: new Repeats(),
    commands,
    clones: new Clones(),
    log,
  };
  const secure = certificate && certificateOf(certificate, log);
  // One that can't be read is told at the start, not when a device connects.
  secure?.();
  const tcp = new TcpConnections(office, { ...options, idleMs, unknownMs }, secure);
  const udp = new UdpPeers(office, { peers: MOST_PEERS, idleMs });

  async function listen(number: number, port: TrackerPort): Promise<number | undefined> {
    const name = port.protocol?.name ?? 'any protocol';
    for (let attempt = 1; ; attempt++) {
      try {
        const chosen = await tcp.listen(host, number, port);
        try {
          await udp.listen(host, chosen, port);
        } catch (error) {
          if (number === 0 && attempt < TRIES) continue;
          log.warn({ error, port: chosen }, `Trackers are not heard by UDP on port ${chosen}`);
        }
        return chosen;
      } catch (error) {
        log.warn({ error, port: number }, `Trackers are not heard on port ${number}: ${name}`);
        return undefined;
      }
    }
  }

  const port = options.port === undefined ? undefined : await listen(options.port, {});
  const fixed: (number | undefined)[] = [];
  for (const one of options.fixed) {
    const chosen = await listen(one.number, one);
    if (chosen !== undefined) log.info({ port: chosen }, `${one.protocol?.name} is heard on port ${chosen}`);
    fixed.push(chosen);
  }
  const sweep = setInterval(() => {
    const now = timeNow();
    commands.sweep(now);
    tcp.sweep(now);
    udp.sweep(now);
  }, options.sweepMs ?? SWEEP_MS).unref();
  return {
    port,
    fixed,
    connections: () => tcp.count,
    figures: () => ({ byProtocol: tcp.byProtocol(), refused: tcp.refused }),
    wake: (deviceId) => commands.wake(deviceId),
    async stop() {
      clearInterval(sweep);
      await Promise.all([tcp.stop(), udp.stop()]);
    },
  };
}

const LOOK_MS = 60_000;

/** A certificate that was renewed is read again. */
function certificateOf({ cert, key }: { cert: string; key: string }, log: Log): () => SecureContext {
  let lookedAt = 0;
  let readAt = '';
  let context: SecureContext | undefined;
  return () => {
    const now = timeNow();
    if (context !== undefined && now - lookedAt < LOOK_MS) return context;
    lookedAt = now;
    try {
      const changed = `${statSync(cert).mtimeMs} ${statSync(key).mtimeMs}`;
      if (context === undefined || changed !== readAt)
        context = createSecureContext({ cert: readFileSync(cert), key: readFileSync(key) });
      readAt = changed;
    } catch (error) {
      if (context === undefined) throw error;
      log.warn({ error }, 'The new certificate for trackers could not be read');
    }
    return context;
  };
}
