import { call } from '../../api/calls.ts';
import type { Geofence } from '../../api/geofences.ts';
import { type FleetDevice, stateOf } from '../../api/live/fleet-device.ts';
import { fencesAt } from '../../map/fence-at.ts';
import { saveFile } from '../../ui/save-file.ts';
import { writeCsv } from './import/csv.ts';
import { tagsText } from './import/import-plan.ts';

const PAGE = 1000;
/**
 * Columns that the import knows come first; the others describe the current state. They are the same in every language.
 */
const HEAD = [
  ...['id', 'name', 'type', 'imei', 'serial', 'iccid', 'tags', 'color', 'plate'],
  ...['status', 'battery', 'lastSeen', 'lat', 'lng', 'place'],
];

/** The devices of the list as a table, which can be imported again. */
export async function exportCsv(
  devices: readonly FleetDevice[],
  fences: readonly Geofence[],
  offlineAfterMin: number,
): Promise<void> {
  const now = Date.now();
  const rows: string[][] = [HEAD];
  for (let start = 0; start < devices.length; start += PAGE) {
    const some = devices.slice(start, start + PAGE);
    const where = { id: { inq: some.map(({ id }) => id) } };
    const stored = await call('listDevices')({ filter: { where, limit: PAGE } });
    const byId = new Map(stored.map((device) => [device.id, device]));
    for (const device of some) {
      const { imei, serial, iccid } = byId.get(device.id) ?? {};
      const { id, name, plate, type, tags, color, batteryPct, lastSeenAt, lat, lng } = device;
      const lastSeen = lastSeenAt === undefined ? '' : new Date(lastSeenAt).toISOString();
      const place = lat === undefined || lng === undefined ? undefined : { lat, lng };
      rows.push([
        ...[
          String(id),
          name,
          type ?? '',
          imei ?? '',
          serial ?? '',
          iccid ?? '',
          tagsText(tags),
          color ?? '',
          plate ?? '',
        ],
        ...[stateOf(device, now, offlineAfterMin), batteryPct === null ? '' : String(batteryPct), lastSeen],
        ...(place ? [String(lat), String(lng), fencesAt(place, fences).join('; ')] : ['', '', '']),
      ]);
    }
  }
  saveFile(`devices ${new Date(now).toISOString().slice(0, 10)}.csv`, 'text/csv', `\uFEFF${writeCsv(rows)}`);
}
