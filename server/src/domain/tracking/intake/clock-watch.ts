import type { Log } from '../../../platform/log.ts';
import type { Store } from '../../schema/tables.ts';
import type { ClockDoubt } from './clock-doubt.ts';
import type { Intake } from './intake.ts';
import { CLOCK_IN_DOUBT } from './normalized/normalize.ts';
import { releaseQuarantined } from './release.ts';

const RELEASE_MS = 60_000;

/** Says when the server's clock is in doubt, and takes in what was quarantined for that once the clock is right again. */
export function watchClock(
  store: Store,
  intake: Intake,
  clockDoubt: ClockDoubt,
  log: Log,
): { look(now: number, steady: number): Promise<void> } {
  let isInDoubt = false;
  let nextRelease = Number.NEGATIVE_INFINITY;
  return {
    async look(now, steady) {
      const offsetMs = clockDoubt.offsetMs();
      if (isInDoubt !== (offsetMs !== null)) {
        isInDoubt = offsetMs !== null;
        nextRelease = steady;
        if (offsetMs === null) log.info({}, 'The clock of this server agrees with the devices again');
        else
          log.warn(
            { offsetSeconds: Math.round(offsetMs / 1000) },
            `The clock of this server is ${offsetMs > 0 ? 'behind' : 'ahead of'} the clocks of most devices: set it`,
          );
      }
      if (isInDoubt || steady < nextRelease) return;
      nextRelease = steady + RELEASE_MS;
      const waiting = await store.query
        .selectFrom('quarantine')
        .select('id')
        .where('reason', '=', CLOCK_IN_DOUBT)
        .limit(1)
        .executeTakeFirst();
      if (waiting === undefined) return;
      const { released } = await releaseQuarantined(store, intake, { reason: CLOCK_IN_DOUBT }, now);
      if (released > 0) log.info({ released }, 'Items that were quarantined while the clock was in doubt are released');
    },
  };
}
