import { type FleetDevice, nowOf, stateOf } from '../../api/live/fleet-device.ts';
import { fitsTags } from './tag-filter.ts';

export const COLUMNS = ['name', 'state', 'speed', 'battery', 'heard'] as const;
export type ColumnKey = (typeof COLUMNS)[number];

interface Wish {
  readonly text: string;
  readonly tags: readonly string[];
  readonly sort: ColumnKey;
  readonly descends: boolean;
  readonly now: number;
  readonly offlineAfterMin: number;
}

const STATE_ORDER = { moving: 0, stopped: 1, offline: 2 };
const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** The devices that fit, in the wished order; what is not known comes last, and equals go by name. */
export function listed(
  devices: Iterable<FleetDevice>,
  { text, tags: wanted, sort, descends, now, offlineAfterMin }: Wish,
): FleetDevice[] {
  const words = text.trim().toLowerCase().split(/\s+/);
  const fits = ({ name, type, tags }: FleetDevice) => {
    const said = `${name} ${type ?? ''} ${tags.join(' ')}`.toLowerCase();
    return words.every((word) => said.includes(word)) && fitsTags(tags, wanted);
  };
  const value = (device: FleetDevice): number | null => {
    switch (sort) {
      case 'state':
        return STATE_ORDER[stateOf(device, now, offlineAfterMin)];
      case 'speed':
        return nowOf(device, now, offlineAfterMin).speedKmh;
      case 'battery':
        return device.batteryPct;
      case 'heard':
        return device.lastHeardAt === undefined ? null : -device.lastHeardAt;
      case 'name':
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
        return (one.value - other.value) * way;
      }
      return names.compare(one.device.name, other.device.name) * (sort === 'name' ? way : 1);
    })
    .map(({ device }) => device);
}
