import type { Way } from './routes.ts';

/** Movement by car, by bicycle and on foot. Speeds in m/s, accelerations in m/s². */
export interface Pace {
  readonly way: Way;
  readonly topSpeed: number;
  readonly acceleration: number;
  readonly braking: number;
  /** Speed through a sharp turn (more than 60°) and a slight one (more than 20°). */
  readonly sharpTurn: number;
  readonly slightTurn: number;
  /** The share of crossings with a wait, and its duration in seconds. */
  readonly waitShare: number;
  readonly waitS: readonly [least: number, most: number];
}

export type Mode = 'car' | 'bicycle' | 'foot';

export const PACES: Readonly<Record<Mode, Pace>> = {
  car: {
    way: 'wheels',
    topSpeed: 36,
    acceleration: 1.6,
    braking: 2.2,
    sharpTurn: 4.5,
    slightTurn: 8,
    waitShare: 0.22,
    waitS: [4, 45],
  },
  bicycle: {
    way: 'feet',
    topSpeed: 5.5,
    acceleration: 0.8,
    braking: 1.4,
    sharpTurn: 2.5,
    slightTurn: 4,
    waitShare: 0.15,
    waitS: [3, 30],
  },
  foot: {
    way: 'feet',
    topSpeed: 1.5,
    acceleration: 1,
    braking: 1.5,
    sharpTurn: 1.5,
    slightTurn: 1.5,
    waitShare: 0.12,
    waitS: [3, 25],
  },
};

export const MODES = Object.keys(PACES) as Mode[];
