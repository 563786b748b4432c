import type { Kysely } from 'kysely';
import { may } from '../rights.ts';
import type { Tables } from '../schema/tables.ts';
import { livingCredentials } from '../users/tokens.ts';
import { topicOf } from './envelope.ts';
import { type Forwarder, readForwarders } from './forwarder-row.ts';

/**
 * A user who has credentials for the broker listens to every device that is theirs or shared with them, as if they had a
 * forwarder on each.
 */
export const listenerOf = (userId: number, deviceId: number): Forwarder => ({
  id: 0,
  userId,
  kind: 'mqtt',
  target: topicOf(userId, deviceId),
  types: SIGHTINGS,
  isRaw: true,
  wantsCorrections: false,
  isListener: true,
});

const SIGHTINGS: ReadonlySet<string> = new Set(['newLoc', 'newReading', 'notification']);

/** The forwarders of a device, and the users who listen to it. */
export async function readForwardersAndListeners(
  on: Kysely<Tables>,
  deviceId: number,
  now: number,
): Promise<Forwarder[]> {
  const rows = await on
    .selectFrom('geofenceRevisions as u')
    .innerJoin('devices as d', (join) => join.on('d.id', '=', deviceId))
    .select('u.userId')
    .where('u.mqttUntil', '>', now)
    .where((when) =>
      when.or([
        when('d.ownerId', '=', when.ref('u.userId')),
        when.exists(
          when
            .selectFrom('shares as s')
            .select('s.id')
            .whereRef('s.deviceId', '=', 'd.id')
            .whereRef('s.userId', '=', 'u.userId'),
        ),
      ]),
    )
    .where(may('view', 'u.userId', 'd.id'))
    .orderBy('u.userId')
    .execute();
  return [...(await readForwarders(on, deviceId)), ...rows.map(({ userId }) => listenerOf(userId, deviceId))];
}

/** The listeners with valid credentials, checked in the transaction that sends. */
export async function livingListeners(
  tx: Kysely<Tables>,
  forwarders: readonly Forwarder[],
  now: number,
): Promise<ReadonlySet<number>> {
  const asked = new Set(forwarders.filter(({ isListener }) => isListener).map(({ userId }) => userId));
  if (asked.size === 0) return asked;
  const rows = await livingCredentials(tx, now)
    .select('t.userId')
    .distinct()
    .where('t.userId', 'in', [...asked])
    .execute();
  return new Set(rows.map(({ userId }) => userId));
}
