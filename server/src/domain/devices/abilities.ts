import type { AnswerOf } from '@trackway/contract/operations.ts';
import type { Call } from '../../calls.ts';
import type { Store } from '../schema/tables.ts';

type Abilities = AnswerOf<'getDeviceAbilities'>;
type Found = { readonly [K in keyof Abilities]: number };

/** So many of the newest reports are looked at: a device may say much without ever knowing where it is. */
const LOOKED_AT = 100;

const isThere = (sql: string, name: keyof Abilities) => `CASE WHEN ${sql} THEN 1 ELSE 0 END AS "${name}"`;
const exists = (sql: string) => `EXISTS (SELECT 1 FROM ${sql})`;

/** A few steps in the indexes of the device, however much it has said. */
const ABILITIES = [
  isThere(
    exists(
      `(SELECT p."locationLat" FROM "points" p WHERE p."deviceId" = d."id"
        ORDER BY p."timestamp" DESC, p."id" DESC LIMIT ${LOOKED_AT}) q WHERE q."locationLat" IS NOT NULL`,
    ),
    'positions',
  ),
  isThere(
    `COALESCE(d."supportedCommands", '[]') <> '[]' OR ${exists('"messages" m WHERE m."deviceId" = d."id"')}`,
    'messages',
  ),
  isThere(
    exists(`"deviceConfigs" c WHERE c."deviceId" = d."id"
      AND (c."receivedAt" IS NOT NULL OR c."currentFW" IS NOT NULL OR c."modified" IS NOT NULL)`),
    'configuration',
  ),
  isThere(exists('"forwarders" f WHERE f."deviceId" = d."id" AND (? = 1 OR f."userId" = ?)'), 'forwarders'),
  isThere(exists('"quarantine" x WHERE x."deviceId" = d."id"'), 'quarantine'),
];

/** As rows, or packed. */
const storedAs = (column: 'deviceId' | 'gatewayId') =>
  `${exists(`"gatewayReadings" r WHERE r."${column}" = ?`)} OR ${exists(`"readingSegments" x WHERE x."${column}" = ?`)}`;

/** Read apart: readings about a device are with whoever told them, on several servers perhaps elsewhere. */
const ABILITIES_BY_READINGS = [isThere(storedAs('deviceId'), 'readings'), isThere(storedAs('gatewayId'), 'hearings')];

/** What a device can do, by what it has done: of what kind it is, nobody has to say. */
export function abilitiesOf(store: Store) {
  const found = store.prepare<Found>(
    'devices.abilities',
    `SELECT ${ABILITIES.join(', ')} FROM "devices" d WHERE d."id" = ?`,
  );
  const byReadings = store.prepare<Found>('devices.abilities.readings', `SELECT ${ABILITIES_BY_READINGS.join(', ')}`);
  return async ({ deviceId, caller, right }: Call): Promise<Abilities> => {
    const row = {
      ...(await found.get(right === 'own' ? 1 : 0, caller.userId, deviceId))!,
      ...(await byReadings.get(deviceId, deviceId, deviceId, deviceId))!,
    };
    const has = (name: keyof Abilities) => Number(row[name]) === 1;
    return {
      positions: has('positions'),
      readings: has('readings'),
      hearings: has('hearings'),
      messages: has('messages'),
      configuration: has('configuration'),
      forwarders: has('forwarders'),
      quarantine: has('quarantine'),
    };
  };
}
