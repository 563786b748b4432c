import type { Client } from '@trackway/client/client.ts';
import type { DemoGroups } from './groups.ts';
import { sendReport } from './send-report.ts';
import type { MadeDevice } from './set-up.ts';

/** Data of a fleet manager: drivers, maintenance, public links, saved reports, tokens. */

const DAY_MS = 86_400_000;
const DRIVERS = [
  { name: 'Marta Kowalska', phone: '+00 555 0101', tags: ['01A4C7E2'] },
  { name: 'Tomás Ferreira', phone: '+00 555 0102', tags: ['01B93F10'] },
  { name: 'Aisha Bello', phone: '+00 555 0103', tags: ['01C2D851'] },
  { name: 'Jonas Weber', phone: '+00 555 0104', tags: ['01D0466B'] },
];
/** Days since a change of drivers. */
const HANDOVER_DAYS = 3;

export async function upkeepDemo(
  client: Client,
  url: string,
  devices: readonly MadeDevice[],
  groups: DemoGroups,
  historyFrom: number,
  now: number,
): Promise<void> {
  const vans = devices.filter(({ type }) => type === 'van');
  const driven = vans.length > 0 ? vans : devices;
  await drivers(client, url, driven, historyFrom, now);
  await maintenance(client, driven, historyFrom, now);
  await client.createLink({ id: driven[0]!.id, body: { name: 'Your delivery', trail: true, ...lasting(now) } });
  await client.createGroupLink({ id: 'me', body: { groupId: groups.all, ...lasting(now) } });
  const weekly = { every: 'week', weekday: 1, time: '07:00' } as const;
  await client.createSavedReport({
    id: 'me',
    body: { name: 'Trips of the week', kind: 'trips', period: 'lastWeek', groupId: groups.ofType.van, ...weekly },
  });
  await client.createSavedReport({ id: 'me', body: { name: 'Kilometres', kind: 'days', period: 'week' } });
  await client.createPersonalAccessToken({ body: { description: 'Nightly export' } });
}

const lasting = (now: number) => ({ expiresAt: new Date(now + 7 * DAY_MS).toISOString() });

/** Each van has a driver since the history began; the first van has a new one, and one driver signed on by a tag. */
async function drivers(
  client: Client,
  url: string,
  vans: readonly MadeDevice[],
  historyFrom: number,
  now: number,
): Promise<void> {
  const ids: number[] = [];
  for (const body of DRIVERS) ids.push((await client.createDriver({ id: 'me', body })).id);
  const since = new Date(historyFrom).toISOString();
  for (const [index, { id }] of vans.slice(0, ids.length - 1).entries())
    await client.signOnDriver({ id, body: { driverId: ids[index]!, at: since } });
  const at = new Date(now - HANDOVER_DAYS * DAY_MS).toISOString();
  await client.signOnDriver({ id: vans[0]!.id, body: { driverId: ids.at(-1)!, at } });
  const reader = vans.slice(ids.length - 1).find(({ protocol }) => protocol === undefined);
  const [value] = DRIVERS[0]!.tags;
  const timestamp = new Date(now).toISOString();
  if (reader) await sendReport(url, reader.key, { readings: [{ type: 'driver_id', value, timestamp }] });
}

async function maintenance(
  client: Client,
  vans: readonly MadeDevice[],
  historyFrom: number,
  now: number,
): Promise<void> {
  const inDays = (days: number) => new Date(now + days * DAY_MS).toISOString();
  const since = new Date(historyFrom).toISOString();
  /** Due in this many days: it was last done one interval before. */
  const everyMonths = (months: number, days: number) => {
    const done = new Date(now + days * DAY_MS);
    done.setUTCMonth(done.getUTCMonth() - months);
    return { everyMonths: months, dueOn: inDays(days), since: done.toISOString() };
  };
  const [first, second = first!] = vans;
  const tasks = [
    [first!, { name: 'Oil change', everyKm: 1500, remindKm: 300, since, odometer: 84_200 }],
    [first!, { name: 'Inspection', ...everyMonths(24, 5), remindDays: 14 }],
    [second, { name: 'Tyres', ...everyMonths(6, -3), remindDays: 14 }],
  ] as const;
  for (const [{ id }, body] of tasks) await client.createMaintenanceTask({ id, body });
  const { id } = second;
  const { id: fk } = await client.createMaintenanceTask({
    id,
    body: { name: 'Brakes', everyMonths: 12, remindDays: 30 },
  });
  await client.completeMaintenanceTask({ id, fk, body: { odometer: 61_850, note: 'New pads at the front.' } });
}
