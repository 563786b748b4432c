import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '@trackway/client/client.ts';
import type { Input } from '@trackway/client/input.ts';
import { type MadeDevice, toNobody, toWebhook } from './set-up.ts';

/** The groups of the demo, a tree, and its rules: alerts for many devices, of several severities. */

/** Subgroups of the first, which has no devices of its own. */
const GROUPS = [
  { name: 'Vans', type: 'van', below: 'Deliveries' },
  { name: 'Cargo bikes', type: 'bike', below: 'Deliveries' },
  { name: 'Rounds', type: 'person', below: undefined },
  { name: 'Trailers', type: 'trailer', below: undefined },
] as const;

export interface DemoGroups {
  readonly all: number;
  readonly ofType: Readonly<Record<(typeof GROUPS)[number]['type'], number>>;
}

export async function createGroups(client: Client, devices: readonly MadeDevice[]): Promise<DemoGroups> {
  const create = (name: string, parentId?: number) =>
    client.createDeviceGroup({ id: 'me', body: { name, ...(parentId !== undefined && { parentId }) } });
  const { id: all } = await create('Westmere');
  const { id: deliveries } = await create('Deliveries', all);
  const ofType = {} as Record<(typeof GROUPS)[number]['type'], number>;
  for (const { name, type, below } of GROUPS) {
    const { id: fk } = await create(name, below === undefined ? all : deliveries);
    ofType[type] = fk;
    const ids = devices.filter((device) => device.type === type).map(({ id }) => id);
    for (let first = 0; first < ids.length; first += 1000)
      await client.addDeviceGroupDevices({ id: 'me', fk, body: { ids: ids.slice(first, first + 1000) } });
  }
  return { all, ofType };
}

/** An unacknowledged notification is escalated after this time. */
const ESCALATE_AFTER_S = 600;

/** Creates the rules, and waits until all devices have their triggers. */
export async function createRules(client: Client, { ofType }: DemoGroups, endpoint: string): Promise<void> {
  const forGroup = (type: keyof DemoGroups['ofType']) => ({ appliesTo: 'group', groupId: ofType[type] }) as const;
  const listed = { severity: 'info', delivery: toNobody } as const;
  const rules: NonNullable<Input<'createRule'>['body']>[] = [
    {
      type: 'alarm',
      name: 'Emergency',
      appliesTo: 'all',
      severity: 'critical',
      parameters: { alarms: ['sos', 'crash'], endpoint },
      delivery: toWebhook,
      escalateAfter: ESCALATE_AFTER_S,
      escalation: { delivery: { http: true }, parameters: { endpoint: `${endpoint}/manager` } },
    },
    {
      type: 'speed',
      name: 'Speeding',
      ...forGroup('van'),
      severity: 'warning',
      parameters: { limit: 75, for: 20 },
      delivery: toNobody,
      muteFor: 600,
    },
    {
      type: 'maintenance',
      name: 'Maintenance',
      appliesTo: 'tag',
      tag: 'delivery',
      severity: 'warning',
      parameters: {},
      delivery: toNobody,
    },
    {
      type: 'temp',
      name: 'Cold chain',
      ...forGroup('van'),
      severity: 'critical',
      parameters: { max: 8, endpoint },
      delivery: toWebhook,
      muteFor: 1800,
    },
    {
      type: 'button',
      name: 'Help',
      ...forGroup('person'),
      severity: 'critical',
      parameters: { endpoint },
      delivery: toWebhook,
    },
    {
      type: 'motionStart',
      name: 'Unexpected motion',
      ...forGroup('trailer'),
      severity: 'warning',
      parameters: {},
      delivery: toNobody,
    },
    {
      ...{ type: 'geofence', name: 'Depot', ...forGroup('van'), ...listed },
      parameters: { zoneGroup: 'depot', zoneType: 'cross' },
    },
    { type: 'geoEntry', name: 'District', ...forGroup('bike'), ...listed, parameters: { zoneGroup: 'district' } },
    {
      ...{ type: 'geofence', name: 'Patrol', ...forGroup('person'), ...listed },
      parameters: { zoneGroup: 'district', zoneType: 'cross' },
    },
  ];
  for (const body of rules) await client.createRule({ id: 'me', body });
  while ((await client.listRules({ id: 'me' })).some(({ isSettled }) => !isSettled)) await wait(50);
}
