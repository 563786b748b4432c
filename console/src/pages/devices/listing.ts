import { type FleetDevice, type FleetState, nowOf, stateOf } from '../../api/live/fleet-device.ts';
import { fitsTags } from './tag-filter.ts';

/** The columns of the list. The name is always shown; the others are optional. */
export const COLUMNS = [
  'name',
  'state',
  'speed',
  'battery',
  'heard',
  'place',
  'plate',
  'type',
  'tags',
  'groups',
] as const;
export type ColumnKey = (typeof COLUMNS)[number];
export const USUAL_COLUMNS: readonly ColumnKey[] = ['name', 'state', 'speed', 'battery', 'heard', 'place'];
/** Places are determined only for visible rows, so the list cannot be sorted by place. */
export const SORTABLE: readonly ColumnKey[] = ['name', 'state', 'speed', 'battery', 'heard', 'plate', 'type'];

export const BATTERIES = ['low', 'half', 'good', 'unknown'] as const;
export type BatteryKind = (typeof BATTERIES)[number];
export const LOW_PCT = 20;
const HALF_PCT = 60;

export const batteryOf = ({ batteryPct }: Pick<FleetDevice, 'batteryPct'>): BatteryKind =>
  batteryPct === null ? 'unknown' : batteryPct <= LOW_PCT ? 'low' : batteryPct <= HALF_PCT ? 'half' : 'good';

/** The filters and order of the list: all of it is in the address of the page. */
export interface Wish {
  readonly text: string;
  readonly tags: readonly string[];
  /** Empty for all states. */
  readonly states: readonly FleetState[];
  readonly batteries: readonly BatteryKind[];
  /** A group, including its subgroups. */
  readonly group: number | undefined;
  readonly sort: ColumnKey;
  readonly descends: boolean;
}

const STATE_ORDER = { moving: 0, stopped: 1, offline: 2 };
const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** The matching devices in the selected order; unknown values come last, and equal ones are sorted by name. */
export function listed(
  devices: Iterable<FleetDevice>,
  wish: Wish & {
    readonly now: number;
    readonly offlineAfterMin: number;
    /** The devices of the selected group. */
    readonly inGroup?: ReadonlySet<number> | undefined;
  },
): FleetDevice[] {
  const { text, tags: wanted, states, batteries, sort, descends, now, offlineAfterMin, inGroup } = wish;
  const words = text.trim().toLowerCase().split(/\s+/);
  const fits = (device: FleetDevice) => {
    const { name, plate, type, tags } = device;
    const said = `${name} ${plate ?? ''} ${type ?? ''} ${tags.join(' ')}`.toLowerCase();
    return (
      words.every((word) => said.includes(word)) &&
      fitsTags(tags, wanted) &&
      (inGroup === undefined || inGroup.has(device.id)) &&
      (states.length === 0 || states.includes(stateOf(device, now, offlineAfterMin))) &&
      (batteries.length === 0 || batteries.includes(batteryOf(device)))
    );
  };
  const value = (device: FleetDevice): number | string | null => {
    switch (sort) {
      case 'state':
        return STATE_ORDER[stateOf(device, now, offlineAfterMin)];
      case 'speed':
        return nowOf(device, now, offlineAfterMin).speedKmh;
      case 'battery':
        return device.batteryPct;
      case 'heard':
        return device.lastSeenAt === undefined ? null : -device.lastSeenAt;
      case 'plate':
        return device.plate?.toLowerCase() || null;
      case 'type':
        return device.type?.toLowerCase() || null;
      default:
        return 0;
    }
  };
  const way = descends ? -1 : 1;
  return [...devices]
    .filter(fits)
    .map((device) => ({ device, value: value(device) }))
    .sort((one, other) => {
      if (one.value !== other.value) {
        if (one.value === null) return 1;
        if (other.value === null) return -1;
        return (one.value < other.value ? -1 : 1) * way;
      }
      return names.compare(one.device.name, other.device.name) * (sort === 'name' ? way : 1);
    })
    .map(({ device }) => device);
}
