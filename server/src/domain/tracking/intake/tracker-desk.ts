import { ERRORS } from '@trackway/contract/errors.ts';
import type { ImpossibleJourney, TrackerDesk } from '../../../calls.ts';
import { Refusal } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import { recordDeviceEvent } from '../../devices/device-events.ts';
import { knownTrackers } from '../../devices/trackers/known-trackers.ts';
import type { TrackerNotes } from '../../devices/trackers/tracker-notes.ts';
import type { trackerCommands } from '../../messages/tracker-commands.ts';
import type { Store } from '../../schema/tables.ts';
import type { Intake } from './intake.ts';

/** What the listeners of trackers ask: who it is, and whether its reports are durable. */
export function trackerDesk(
  store: Store,
  ingest: Intake,
  notes: TrackerNotes,
  commands: ReturnType<typeof trackerCommands>,
  log: Pick<Log, 'error'>,
): TrackerDesk {
  return {
    ...commands,
    find: knownTrackers(store),

    async receive({ deviceId, keyHash }, report, now) {
      try {
        const receipt = await ingest.store(deviceId, report, now, keyHash);
        if (receipt === undefined) return { outcome: 'gone', hasPending: false };
        return { outcome: 'stored', hasPending: receipt.hasPending };
      } catch (error) {
        // A tracker would send it for ever.
        if (error instanceof Refusal && error.code === ERRORS.deviceInactive.code)
          return { outcome: 'refused', hasPending: false };
        throw error;
      }
    },

    cloned(journey, now) {
      recordClone(store, journey, now).catch((error) => log.error({ error }, 'A possible clone was not recorded'));
    },

    knocked: (knock) => notes.knocked(knock),
    undecoded: (frame) => notes.undecoded(frame),
  };
}

const recordClone = ({ query }: Store, { deviceId, addresses, km, seconds }: ImpossibleJourney, now: number) =>
  recordDeviceEvent(
    query,
    {
      deviceId,
      type: 'backendnote/clone',
      description: `Two trackers may use the identity of this device: over two connections it was at places ${km} km apart within ${seconds} seconds.`,
      meta: { addresses: addresses.join(', '), km, seconds },
    },
    now,
  );
