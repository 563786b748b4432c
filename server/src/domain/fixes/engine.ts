import type { Log } from '../../platform/log.ts';
import type { House } from '../forwarding/house.ts';
import type { Store } from '../schema/tables.ts';
import { letTimePass } from './clock.ts';
import { type Committed, Ingest } from './ingest.ts';
import { judgeExpiry, judgeSilence, type Once, Proximity } from './judged-once.ts';
import { type Corrected, replay } from './replay.ts';
import { Replays } from './replays.ts';
import { RuleShelf } from './rule-shelf.ts';

export interface EngineOptions {
  /** How old a fix may be and still be judged. */
  readonly windowMs: number;
  readonly log: Log;
  readonly house?: House;
  readonly committed?: (committed: Committed) => void;
  readonly corrected?: (corrected: Corrected) => void;
}

export interface Engine {
  readonly ingest: Ingest;
  readonly shelf: RuleShelf;
  /** What was stored or changed from this time on must be judged again. */
  judgeAgain(deviceId: number): void;
  /** Resolves once nothing waits to be judged. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

const TICK_MS = 1000;
const SILENCE_MS = 5_000;
const EXPIRY_MS = 3_600_000;

/** Everything that makes the state of devices go on: reports, replays of what came late, and the clock. */
export async function startEngine(store: Store, options: EngineOptions): Promise<Engine> {
  const { log, windowMs } = options;
  const shelf = new RuleShelf(store, windowMs, options.house);
  const replays = new Replays(async (deviceId) => {
    try {
      const outcome = await replay(store, shelf, deviceId, Date.now);
      if (outcome !== 'overtaken' && outcome) options.corrected?.(outcome);
      return outcome !== 'overtaken';
    } catch (error) {
      // It stays marked in the store, so the next start or the next late report takes it up again.
      log.error({ error, deviceId }, 'A replay failed');
      return true;
    }
  });
  const judgeAgain = (deviceId: number) => replays.add(deviceId);

  const tell = ({ deviceId, notifications }: Once) =>
    options.committed?.({ deviceId, points: [], readings: [], notifications });
  const proximity = new Proximity(store, shelf.house);
  let judging: Promise<void> = Promise.resolve();
  function publish(committed: Committed): void {
    options.committed?.(committed);
    if (!shelf.hasTrigger(committed.deviceId, 'proximity')) return;
    judging = judging
      .then(async () => (await proximity.judge(committed, Date.now())).forEach(tell))
      .catch((error) => log.error({ error }, 'Judging what is near failed'));
  }

  const ingest = new Ingest(store, shelf, { windowMs, publish, late: judgeAgain });

  // What a process that died had written down and not yet judged.
  for (const { deviceId } of await store.query
    .selectFrom('deviceStates')
    .select('deviceId')
    .where('dirtyFrom', 'is not', null)
    .execute()) {
    judgeAgain(deviceId);
  }

  const upSince = Date.now();
  let nextSilence = upSince;
  let nextExpiry = upSince;
  let ticking: Promise<void> | undefined;
  async function tick(): Promise<void> {
    try {
      const now = Date.now();
      for (const passed of await letTimePass(store, shelf, now)) if (passed.notifications.length > 0) tell(passed);
      if (now >= nextSilence) {
        nextSilence = now + SILENCE_MS;
        (await judgeSilence(store, shelf.house, upSince, now)).forEach(tell);
      }
      if (now >= nextExpiry) {
        nextExpiry = now + EXPIRY_MS;
        (await judgeExpiry(store, shelf.house, now)).forEach(tell);
      }
    } catch (error) {
      log.error({ error }, 'The clock of the devices failed');
    }
  }
  const clock = setInterval(() => {
    ticking ??= tick().finally(() => {
      ticking = undefined;
    });
  }, TICK_MS).unref();

  return {
    ingest,
    shelf,
    judgeAgain,
    idle: () => replays.idle(),
    async stop() {
      clearInterval(clock);
      await ingest.stop();
      await replays.stop();
      await ticking;
      await judging;
    },
  };
}
