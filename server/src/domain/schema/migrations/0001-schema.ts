import type { Migration } from '../../../platform/storage/migrations.ts';
import { PLACEMENTS } from '../placement.ts';
import { SPANNING } from '../spanning.ts';
import { createText, keysText, type Table, type Written } from '../table.ts';
import { ACCOUNTS } from './0001/accounts.ts';
import { DELIVERY } from './0001/delivery.ts';
import { DEVICES } from './0001/devices.ts';
import { LIVE } from './0001/live.ts';
import { PLANS } from './0001/plans.ts';
import { POSITIONS_AND_READINGS } from './0001/positions.ts';
import { RULES } from './0001/rules.ts';
import { SERVICE } from './0001/service.ts';
import { TRACKING } from './0001/tracking.ts';

/** Every table and view by topic, each after the tables that it refers to. */
export const SCHEMA: Readonly<Record<string, readonly (Table | Written)[]>> = {
  Accounts: ACCOUNTS,
  Plans: PLANS,
  Devices: DEVICES,
  'Positions and readings': POSITIONS_AND_READINGS,
  Tracking: TRACKING,
  'Geofences, triggers and notifications': RULES,
  Delivery: DELIVERY,
  'Live streams': LIVE,
  Service: SERVICE,
};

/** The complete schema. It may change until release 1.0.0, and never afterwards. */
export const schema: Migration = {
  name: '0001-schema',
  placements: PLACEMENTS,
  spanning: SPANNING,
  up(storeKind) {
    const all = Object.values(SCHEMA).flat();
    const texts = [createText, keysText].flatMap((textOf) => all.map((definition) => textOf(storeKind, definition)));
    return texts.filter((text) => text !== '').join('\n\n');
  },
};
