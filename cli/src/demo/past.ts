import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '@trackway/client/client.ts';
import { positionCells } from '@trackway/client/history/position.ts';
import type { ImportedPosition } from '@trackway/contract/resources/fleet-tools/history-import.ts';
import { type Fleet, transmissionsOf } from '@trackway/simulator/fleet.ts';

/**
 * The days before the start of the demo: positions of the same fleet at its usual hours, imported while the demo runs,
 * for reports and heat maps. They cause no notifications.
 */

export interface PastOptions {
  readonly fleet: Fleet;
  /** Ids of the devices, in the order of the fleet. */
  readonly ids: readonly number[];
  readonly from: number;
  readonly until: number;
  readonly signal: AbortSignal;
  readonly onProgress: (devices: number) => void;
}

/** More would exceed the maximum size of a body. */
const AT_ONCE = 1000;

/** Returns the number of positions. */
export async function importPast(client: Client, options: PastOptions): Promise<number> {
  const { fleet, ids, signal, onProgress } = options;
  const imports: { id: number; fk: number }[] = [];
  let sent = 0;
  for (const [index, id] of ids.entries()) {
    const { id: fk } = await client.createHistoryImport({ id, body: { name: 'demo' } }, { signal });
    let first = 0;
    for (const points of chunks(positions(fleet, index, options))) {
      await client.addImportedPoints({ id, fk, body: { first, points } }, { signal });
      first += points.length;
    }
    await client.endHistoryImport({ id, fk }, { signal });
    sent += first;
    imports.push({ id, fk });
    onProgress(imports.length);
  }
  for (const one of imports)
    while ((await client.getHistoryImport(one, { signal })).status !== 'done') await wait(500, undefined, { signal });
  return sent;
}

function* positions(fleet: Fleet, index: number, { from, until }: PastOptions): Generator<ImportedPosition> {
  for (const { sentAt, points } of transmissionsOf(fleet.devices[index]!, from)) {
    if (sentAt >= until) return;
    for (const { timestamp, location, speed, altitude, course, accuracy, batteryPct } of points)
      if (location)
        yield positionCells({
          ...location,
          timestamp: Number(timestamp),
          speedKmh: speed,
          altitudeM: altitude,
          courseDeg: course,
          accuracyM: accuracy,
          batteryPct,
        });
  }
}

function* chunks<T>(all: Iterable<T>): Generator<T[]> {
  let some: T[] = [];
  for (const one of all) {
    some.push(one);
    if (some.length < AT_ONCE) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}
