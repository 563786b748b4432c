import { ERRORS } from '@trackway/contract/errors.ts';
import type {
  ChannelRegistry,
  ContestedChannel,
  ImpossibleJourney,
  TrackerGateway,
  TrackerLink,
} from '../../../calls.ts';
import { Refusal } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import type { trackerCommands } from '../../commands/tracker-commands.ts';
import { presentNotification } from '../../delivery/presented.ts';
import { recordDeviceEvent } from '../../devices/device-events.ts';
import { knownTrackers } from '../../devices/known-trackers.ts';
import type { TrackerNotes } from '../../devices/tracker-notes.ts';
import { appendLiveEvents } from '../../live/append-live-events.ts';
import type { Store } from '../../schema/tables.ts';
import { type AccountMailer, isRefused, lettersTo, linkTo, postMail } from '../../users/account-letters.ts';
import type { Pipeline } from '../pipeline.ts';

interface TrackerGatewayParts {
  readonly notes: TrackerNotes;
  readonly commands: ReturnType<typeof trackerCommands>;
  readonly mail: AccountMailer;
  readonly channels: ChannelRegistry;
  readonly log: Pick<Log, 'error'>;
}

/** What the listeners of trackers ask: who it is, and whether its reports are durable. */
export function trackerGateway(
  store: Store,
  pipeline: Pipeline,
  { notes, commands, mail, channels, log }: TrackerGatewayParts,
): TrackerGateway {
  return {
    ...commands,
    channels,
    find: knownTrackers(store),

    async receive(tracker, report, now) {
      try {
        const receipt = await pipeline.store(tracker.deviceId, report, now, tracker);
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

    contested(channel, now) {
      notifyOfContest(store, mail, channel, now).catch((error) =>
        log.error({ error }, 'The owner of a device was not notified of a second connection'),
      );
    },

    noteUnknown: (unknownTracker) => notes.noteUnknown(unknownTracker),
    undecoded: (frame) => notes.undecoded(frame),
  };
}

const recordClone = ({ query }: Store, { deviceId, addresses, km, seconds }: ImpossibleJourney, now: number) =>
  recordDeviceEvent(
    query,
    {
      deviceId,
      type: 'backendnote/clone',
      description: `Two trackers may be using the identity of this device: two connections reported places ${km} km apart within ${seconds} seconds.`,
      meta: { addresses: addresses.join(', '), km, seconds },
    },
    now,
  );

const DAY_MS = 86_400_000;
const EVENT = 'pairing/contested';

/** Notifies the owner of a device that another connection uses its identity: in the app and by mail, once a day. */
export async function notifyOfContest(
  store: Store,
  mail: AccountMailer,
  { deviceId, first, second }: ContestedChannel,
  now: number,
): Promise<void> {
  const isNotified = await store.transaction(async (tx) => {
    const before = await tx
      .selectFrom('deviceEvents')
      .select('id')
      .where('deviceId', '=', deviceId)
      .where('type', '=', EVENT)
      .where('at', '>', now - DAY_MS)
      .limit(1)
      .executeTakeFirst();
    const device = await tx
      .selectFrom('devices as d')
      .innerJoin('users as u', 'u.id', 'd.ownerId')
      .select(['d.name', 'd.ownerId', 'u.email'])
      .where('d.id', '=', deviceId)
      .where('d.deletedAt', 'is', null)
      .executeTakeFirst();
    if (before !== undefined || device === undefined) return false;
    const { ownerId, email } = device;
    const name = device.name ?? String(deviceId);
    const description = `Another connection (${saidOf(second)}) uses the identity of ${name}${first ? ` besides ${saidOf(first)}` : ''}. It receives no commands while the first one is connected.`;
    const meta = { first: first && saidOf(first), second: saidOf(second) };
    await recordDeviceEvent(tx, { deviceId, type: EVENT, description, meta }, now);
    const row = {
      created: now,
      timestamp: now,
      decidedAt: now,
      params: JSON.stringify({ type: 'contested', name: 'contested', zones: [], message: description, meta }),
      explanation: JSON.stringify({ kind: 'contested', at: now, decidedAt: now, parameters: {}, facts: meta }),
      deviceId,
      userId: ownerId,
      // No trigger fired.
      triggerId: 0,
      triggerVersion: 0,
      zoneId: null,
      kind: 'contested',
      pointId: null,
      readingId: null,
      messageId: null,
      status: 'valid' as const,
      reason: null,
      late: 0,
      isForPeople: 1,
      isOrdered: 0,
      severity: 'critical' as const,
      unread: 1,
      acknowledgedAt: null,
      acknowledgedBy: null,
      note: null,
      escalatedAt: null,
    };
    const { id } = await tx.insertInto('notifications').values(row).returning('id').executeTakeFirstOrThrow();
    if (mail.missing === undefined && !(await isRefused(tx, email))) {
      const letters = await lettersTo(tx, ownerId);
      const content = letters.contested({ device: name, from: saidOf(second) }, linkTo(mail, `/devices/${deviceId}`));
      await postMail(tx, { userId: ownerId, address: email, content }, now);
    }
    const recorded = { id, ...row };
    const event = presentNotification(recorded);
    await appendLiveEvents(tx, [{ kind: 'notification', deviceId, userId: ownerId, event }], now);
    return true;
  });
  if (isNotified) mail.wake();
}

const saidOf = ({ protocol, transport, address }: TrackerLink) =>
  `${protocol} over ${transport.toUpperCase()} from ${address}`;
