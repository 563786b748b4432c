import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '@trackway/client/client.ts';
import { delivery, type MadeDevice } from './set-up.ts';

/** The groups of the demo, a tree, and its rules: triggers for many devices. */

/** Below the first, which has no devices of its own. */
const GROUPS = [
  { name: 'Vans', type: 'van', below: 'Deliveries' },
  { name: 'Cargo bikes', type: 'bike', below: 'Deliveries' },
  { name: 'Rounds', type: 'person', below: undefined },
  { name: 'Trailers', type: 'trailer', below: undefined },
] as const;

export interface DemoGroups {
  readonly all: number;
  readonly vans: number;
}

export async function createGroups(client: Client, devices: readonly MadeDevice[]): Promise<DemoGroups> {
  const create = (name: string, parentId?: number) =>
    client.createDeviceGroup({ id: 'me', body: { name, ...(parentId !== undefined && { parentId }) } });
  const { id: all } = await create('Westmere');
  const { id: deliveries } = await create('Deliveries', all);
  let vans = deliveries;
  for (const { name, type, below } of GROUPS) {
    const { id: fk } = await create(name, below === undefined ? all : deliveries);
    if (type === 'van') vans = fk;
    const ids = devices.filter((device) => device.type === type).map(({ id }) => id);
    for (let first = 0; first < ids.length; first += 1000)
      await client.addDeviceGroupDevices({ id: 'me', fk, body: { ids: ids.slice(first, first + 1000) } });
  }
  return { all, vans };
}

/** One that nobody acknowledges is told once more after this time. */
const ESCALATE_AFTER_S = 600;

/** Creates the rules, and waits until the triggers of all devices follow them. */
export async function createRules(client: Client, { vans }: DemoGroups, endpoint: string): Promise<void> {
  const rules = [
    {
      type: 'alarm',
      name: 'Emergency',
      appliesTo: 'all',
      severity: 'critical',
      parameters: { alarms: ['sos', 'crash'], endpoint },
      escalateAfter: ESCALATE_AFTER_S,
      escalation: { delivery: { http: true }, parameters: { endpoint: `${endpoint}/manager` } },
    },
    {
      type: 'speed',
      name: 'Far too fast',
      appliesTo: 'group',
      groupId: vans,
      severity: 'warning',
      parameters: { limit: 85, for: 20, endpoint },
      muteFor: 1800,
    },
    {
      type: 'maintenance',
      name: 'Maintenance',
      appliesTo: 'tag',
      tag: 'delivery',
      severity: 'warning',
      parameters: { endpoint },
    },
  ] as const;
  for (const { parameters, ...rule } of rules)
    await client.createRule({ id: 'me', body: { ...rule, parameters: { ...parameters }, delivery } });
  while ((await client.listRules({ id: 'me' })).some(({ isSettled }) => !isSettled)) await wait(50);
}
