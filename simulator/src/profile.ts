/** How devices behave and misbehave. Everything is a plain number, so that a test can change just one. */
export interface Profile {
  /** Seconds between fixes while awake; each device has one of these. */
  readonly intervalsS: readonly number[];
  /** Fixes per transmission. */
  readonly packing: number;
  /** Seconds from the last fix of a transmission to its sending. */
  readonly latencyS: readonly [least: number, most: number];
  readonly timestamps: 'epoch' | 'iso';
  readonly gps: GpsNoise;
  /** Stretches without a fix besides the tunnels of the streets: garages, cellars. */
  readonly blackouts: Spells;
  /** Share of instants without a fix at which the device says so, with a status report. */
  readonly statusShare: number;
  /** A device that has not been under way for so long reports only rarely; 0 = it never sleeps. */
  readonly sleepAfterMin: number;
  readonly sleepIntervalMin: number;
  /** Stretches without network: fixes are kept and sent in a burst when it is back. */
  readonly offline: Spells;
  /** Share of bursts that come in no order. */
  readonly shuffledShare: number;
  /** The most fixes in one transmission of a burst. */
  readonly burstPacking: number;
  /** Share of transmissions that are sent again although they arrived. */
  readonly duplicateShare: number;
  readonly clock: ClockErrors;
  /** Each so many fixes a device with a sensor sends a reading; 0 = never. */
  readonly readingEvery: number;
  /** Per device and day. */
  readonly buttonsPerDay: number;
  readonly dropsPerDay: number;
}

export interface GpsNoise {
  /** Standard deviation per axis under open sky. The 68 % radius is 1.51 of it. */
  readonly sigmaM: number;
  /** How much worse it is between high houses. */
  readonly canyonFactor: number;
  /** The error wanders: after so many seconds it has mostly forgotten where it was; 0 = each fix has its own. */
  readonly correlationS: number;
  /** Share of fixes that are far off, half of which claim to be good. */
  readonly outlierShare: number;
  readonly outlierM: readonly [least: number, most: number];
  /** How far the reported accuracy strays from the true one: standard deviation of its logarithm. */
  readonly accuracySpread: number;
  /** Share of fixes by wifi and by the mobile network. */
  readonly wifiShare: number;
  readonly gsmShare: number;
}

/** Stretches of time that come by chance. */
export interface Spells {
  readonly perDay: number;
  readonly meanMin: number;
  readonly mostMin: number;
}

export interface ClockErrors {
  /** Share of devices that are off by minutes, always the same, and how far at most. */
  readonly minutesShare: number;
  readonly mostMin: number;
  /** Share of days on which a device's clock is off by years: 1 024 weeks behind, or at the beginning of 1970. */
  readonly yearsShare: number;
}

const never: Spells = { perDay: 0, meanMin: 0, mostMin: 0 };

/** Nothing goes wrong but a little noise: for benches. */
export const calm: Profile = {
  intervalsS: [30],
  packing: 1,
  latencyS: [0.2, 1],
  timestamps: 'epoch',
  gps: {
    sigmaM: 3,
    canyonFactor: 1,
    correlationS: 60,
    outlierShare: 0,
    outlierM: [0, 0],
    accuracySpread: 0.1,
    wifiShare: 0,
    gsmShare: 0,
  },
  blackouts: never,
  statusShare: 0,
  sleepAfterMin: 0,
  sleepIntervalMin: 0,
  offline: never,
  shuffledShare: 0,
  burstPacking: 50,
  duplicateShare: 0,
  clock: { minutesShare: 0, mostMin: 0, yearsShare: 0 },
  readingEvery: 0,
  buttonsPerDay: 0,
  dropsPerDay: 0,
};

/** A fleet as it is. */
export const ordinary: Profile = {
  ...calm,
  intervalsS: [30, 60, 60, 300],
  latencyS: [0.3, 4],
  gps: {
    sigmaM: 4,
    canyonFactor: 2.5,
    correlationS: 90,
    outlierShare: 0.001,
    outlierM: [80, 400],
    accuracySpread: 0.25,
    wifiShare: 0.01,
    gsmShare: 0,
  },
  blackouts: { perDay: 0.5, meanMin: 5, mostMin: 60 },
  statusShare: 0.2,
  sleepAfterMin: 10,
  sleepIntervalMin: 30,
  offline: { perDay: 0.7, meanMin: 8, mostMin: 180 },
  shuffledShare: 0.1,
  duplicateShare: 0.002,
  clock: { minutesShare: 0.01, mostMin: 4, yearsShare: 0 },
  readingEvery: 5,
  buttonsPerDay: 0.05,
  dropsPerDay: 0.01,
};

/** All that goes wrong in years, in a day. */
export const nasty: Profile = {
  ...ordinary,
  latencyS: [0.3, 25],
  timestamps: 'iso',
  gps: {
    sigmaM: 6,
    canyonFactor: 4,
    correlationS: 150,
    outlierShare: 0.01,
    outlierM: [100, 3000],
    accuracySpread: 0.5,
    wifiShare: 0.06,
    gsmShare: 0.01,
  },
  blackouts: { perDay: 6, meanMin: 6, mostMin: 90 },
  statusShare: 0.5,
  offline: { perDay: 8, meanMin: 15, mostMin: 360 },
  shuffledShare: 0.4,
  duplicateShare: 0.05,
  clock: { minutesShare: 0.1, mostMin: 12, yearsShare: 0.02 },
  readingEvery: 3,
  buttonsPerDay: 1,
  dropsPerDay: 0.3,
};

export const PROFILES = { calm, ordinary, nasty } as const;
export type ProfileName = keyof typeof PROFILES;
