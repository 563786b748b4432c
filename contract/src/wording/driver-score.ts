/** How the score of a driver follows from what happened on each 100 km. Shown in the console and in docs/use/vehicles.md. */
export const DRIVER_SCORE = {
  /** Points lost for each event or minute on 100 km. */
  harsh: 4,
  speedingMinute: 2,
  idleMinute: 0.25,
  /** There is no score for less. */
  leastKm: 50,
} as const;

/** Alarms of trackers that count as harsh driving. */
export const HARSH_ALARMS: readonly string[] = ['harshBraking', 'harshAcceleration', 'harshCornering'];

export interface Driven {
  readonly distanceM: number;
  readonly harsh: number;
  readonly speedingS: number;
  readonly idleS: number;
}

/** From 0 to 100, the best. Undefined if the distance says too little. */
export function driverScore({ distanceM, harsh, speedingS, idleS }: Driven): number | undefined {
  if (distanceM < DRIVER_SCORE.leastKm * 1000) return undefined;
  const lost =
    harsh * DRIVER_SCORE.harsh +
    (speedingS / 60) * DRIVER_SCORE.speedingMinute +
    (idleS / 60) * DRIVER_SCORE.idleMinute;
  return Math.max(0, Math.round(100 - lost / (distanceM / 100_000)));
}
