import { number } from '../counting.ts';
import { slotRanges } from '../slot-ranges.ts';

const OWNED: Readonly<Record<string, (count: number) => string>> = {
  destinations: (count) => (count === 1 ? 'sends to 1 destination' : `sends to ${count} destinations`),
  replays: (count) => (count === 1 ? 'judges 1 device again' : `judges ${count} devices again`),
  housekeeping: () => 'keeps house',
  broker: () => 'listens to the MQTT broker',
};

export const health = {
  title: 'Health',
  lead: 'The state of this server, updated every five seconds.',
  allWell: 'All systems working',
  diskFree: 'Free disk space',
  ofDisk: (free: string, total: string) => `${free} of ${total}`,
  someDown: (count: number) => (count === 1 ? '1 destination is down' : `${number(count)} destinations are down`),
  someDead: (count: number) => (count === 1 ? '1 delivery failed' : `${number(count)} deliveries failed`),
  toOutbox: 'View outbox',
  coming: 'Incoming',
  reports: 'Reports per minute',
  positions: 'Positions per minute',
  devices: 'Devices online',
  ofDevices: (count: string) => `of ${count}`,
  streams: 'Live streams',
  going: 'Outgoing',
  waiting: 'Queued deliveries',
  dead: 'Failed in 30 days',
  down: 'Destinations down',
  users: 'Users',
  nodes: {
    title: 'Nodes',
    up: 'Up',
    gone: 'Gone',
    isThis: 'answers you',
    lag: (ms: number) => `${ms} ms late`,
    reports: (count: string) => `${count} reports per minute`,
    slots: (slots: readonly number[]) =>
      `keeps the clocks of ${slots.length === 1 ? '1 slot' : `${slots.length} slots`} (${slotRanges(slots)})`,
    owns: (what: string, count: number) => OWNED[what]?.(count) ?? `${what}: ${count}`,
    clock: (seconds: number) =>
      seconds > 0
        ? `its clock is ${seconds} s ahead of the database`
        : `its clock is ${-seconds} s behind the database`,
    lastSeen: 'last heard of',
    goneSince: 'gone since',
  },
  process: 'Server',
  node: 'Node',
  version: 'Version',
  uptime: 'Uptime',
  since: 'Started',
  engine: 'Database',
  engines: { sqlite: 'SQLite', postgres: 'PostgreSQL' },
  size: 'Database size',
  memory: 'Memory',
  metrics: 'Metrics for Prometheus are available at /metrics.',
};
