/** The behaviour and the faults of devices. All fields are plain values, so that a test can change just one. */
export interface Profile {
  /** Seconds between fixes while awake. Each device has one of these values. */
  readonly intervalsS: readonly number[];
  /** Fixes per transmission. */
  readonly packing: number;
  /** Seconds from the last fix of a transmission to its sending. */
  readonly latencyS: readonly [least: number, most: number];
  readonly timestamps: 'epoch' | 'iso';
  readonly gps: GpsNoise;
  /** Periods without a fix in addition to tunnels, such as in garages. */
  readonly blackouts: Spells;
  /** Share of missing fixes for which the device sends a status report. */
  readonly statusShare: number;
  /** Minutes without movement after which a device sleeps and reports rarely. 0 means never. */
  readonly sleepAfterMin: number;
  readonly sleepIntervalMin: number;
  /** Periods without network. Fixes are buffered and sent in a burst afterwards. */
  readonly offline: Spells;
  /** Share of bursts that are sent in random order. */
  readonly shuffledShare: number;
  /** Maximum number of fixes per transmission of a burst. */
  readonly burstPacking: number;
  /** Share of transmissions that are sent again although they arrived. */
  readonly duplicateShare: number;
  readonly clock: ClockErrors;
  /** Number of fixes per reading of a device with a sensor. 0 means no readings. */
  readonly readingEvery: number;
  /** Per device and day. */
  readonly buttonsPerDay: number;
  readonly dropsPerDay: number;
}

export interface GpsNoise {
  /** Standard deviation per axis under open sky. The 68 % radius is 1.51 times as large. */
  readonly sigmaM: number;
  /** Factor of the error in street canyons. */
  readonly canyonFactor: number;
  /** Correlation time of the error in seconds. 0 means independent errors. */
  readonly correlationS: number;
  /** Share of outliers. Half of them report a good accuracy. */
  readonly outlierShare: number;
  readonly outlierM: readonly [least: number, most: number];
  /** Spread of the reported accuracy around the true one: standard deviation of its logarithm. */
  readonly accuracySpread: number;
  /** Share of fixes by Wi-Fi and by the mobile network. */
  readonly wifiShare: number;
  readonly gsmShare: number;
}

/** Random periods of time. */
export interface Spells {
  readonly perDay: number;
  readonly meanMin: number;
  readonly mostMin: number;
}

export interface ClockErrors {
  /** Share of devices whose clock has a constant error of minutes, and the maximum error. */
  readonly minutesShare: number;
  readonly mostMin: number;
  /** Share of days on which a device's clock is wrong by years: 1 024 weeks behind, or at the start of 1970. */
  readonly yearsShare: number;
}

const never: Spells = { perDay: 0, meanMin: 0, mostMin: 0 };

/** No faults except a little noise, for benchmarks. */
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

/** A realistic fleet. */
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

/** All kinds of faults, far more often than in reality. */
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
