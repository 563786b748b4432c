import type { City } from '@trackway/simulator/city.ts';
import { createFleet, type Fleet } from '@trackway/simulator/fleet.ts';
import { calm, ordinary, type Profile } from '@trackway/simulator/profile.ts';
import { VOICES, type VoiceName } from '@trackway/simulator/trackers/voices.ts';

/** The devices of the demo. */

export interface DemoDevice {
  readonly name: string;
  readonly type: string;
  readonly color: string;
  readonly tags: readonly string[];
  /** Its protocol over TCP; undefined if it reports over HTTP. */
  readonly protocol: VoiceName | undefined;
}

/** Reports more often than real trackers, so that there is something to see. The noise is realistic. */
const FREQUENT: Profile = {
  ...ordinary,
  intervalsS: [4, 6, 8, 10],
  latencyS: [0.2, 1.5],
  sleepAfterMin: 0,
  offline: { perDay: 0.2, meanMin: 4, mostMin: 20 },
  blackouts: { perDay: 0.3, meanMin: 3, mostMin: 10 },
  clock: { minutesShare: 0, mostMin: 0, yearsShare: 0 },
  buttonsPerDay: 2,
};

export const demoFleet = (city: City, devices: number, seed: number): Fleet =>
  createFleet({ devices, seed, city, profile: FREQUENT, shift: 'always' });

/** In the past the same devices reported less often, and slept at night. */
const USUAL: Profile = {
  ...calm,
  gps: { ...ordinary.gps, outlierShare: 0 },
  sleepAfterMin: 10,
  sleepIntervalMin: 60,
  packing: 10,
};

export const pastFleet = (city: City, devices: number, seed: number): Fleet =>
  createFleet({ devices, seed, city, profile: USUAL, shift: 'day' });

const WALKERS = ['Ada', 'Bruno', 'Chioma', 'Dinesh', 'Elif', 'Farah', 'Goran', 'Hana', 'Iker', 'Jun', 'Kofi', 'Lena'];

const LOOKS = {
  vehicle: { call: (n: number) => `Van ${n}`, type: 'van', color: '#2f6fc4', tags: ['delivery'] },
  cyclist: { call: (n: number) => `Cargo bike ${n}`, type: 'bike', color: '#12805a', tags: ['courier'] },
  walker: {
    call: (n: number) => WALKERS[n - 1] ?? `Walker ${n}`,
    type: 'person',
    color: '#b4540a',
    tags: ['round'],
  },
  parked: { call: (n: number) => `Trailer ${n}`, type: 'trailer', color: '#6d5bd0', tags: ['yard'] },
} as const;

const PROTOCOLS = Object.keys(VOICES) as VoiceName[];

/**
 * Name, type, colour and protocol of each device of the fleet. Vans and trailers without a thermometer, about a third
 * of all, have trackers, because the simulated protocols report only positions.
 */
export function demoDevices({ devices }: Fleet): DemoDevice[] {
  const seen = { vehicle: 0, cyclist: 0, walker: 0, parked: 0 };
  let trackers = 0;
  return devices.map(({ actor: { kind }, sensor }) => {
    const { call, ...look } = LOOKS[kind];
    const isTracker = (kind === 'vehicle' || kind === 'parked') && sensor === 'none';
    const protocol = isTracker ? PROTOCOLS[trackers++ % PROTOCOLS.length] : undefined;
    return { name: call(++seen[kind]), ...look, protocol };
  });
}
