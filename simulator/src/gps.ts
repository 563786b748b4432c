import type { GpsNoise } from './profile.ts';
import type { Random } from './random.ts';

/** For a Gaussian error of equal size on both axes, 68 % of the fixes are within this many standard deviations. */
export const RADIUS_68 = 1.5096;

const WIFI_SIGMA_M = 25;
const GSM_SIGMA_M = 450;

/** The error of a fix in metres, and the accuracy that the receiver reports. The object is reused. */
export interface Fix {
  eastM: number;
  northM: number;
  accuracyM: number;
  locationType: 'gps' | 'wifi' | 'gsm';
}

export const fix = (): Fix => ({ eastM: 0, northM: 0, accuracyM: 0, locationType: 'gps' });

/**
 * A receiver with a correlated error: a Gauss-Markov process of variance 1 per axis, scaled by the surroundings, so that
 * the reported accuracy is correct for any interval.
 */
export class Receiver {
  readonly #noise: GpsNoise;
  readonly #random: Random;
  #east: number;
  #north: number;
  #at = Number.NEGATIVE_INFINITY;
  /** The weights of the last step are cached, since the interval rarely changes and an exponential is slow. */
  #stepMs = -1;
  #oldWeight = 0;
  #newWeight = 1;

  constructor(noise: GpsNoise, random: Random) {
    this.#noise = noise;
    this.#random = random;
    this.#east = random.gaussian();
    this.#north = random.gaussian();
  }

  take(at: number, isCanyon: boolean, out: Fix): void {
    const noise = this.#noise;
    const random = this.#random;
    this.#updateError(at);
    let sigma = isCanyon ? noise.sigmaM * noise.canyonFactor : noise.sigmaM;
    out.locationType = 'gps';
    if (noise.wifiShare > 0 || noise.gsmShare > 0) {
      const chance = random.next();
      if (chance < noise.gsmShare) {
        out.locationType = 'gsm';
        sigma = GSM_SIGMA_M;
      } else if (chance < noise.gsmShare + noise.wifiShare) {
        out.locationType = 'wifi';
        sigma = WIFI_SIGMA_M;
      }
    }
    out.eastM = sigma * this.#east;
    out.northM = sigma * this.#north;
    out.accuracyM = sigma * RADIUS_68 * Math.exp(noise.accuracySpread * random.gaussian());
    if (random.chance(noise.outlierShare)) this.#addOutlier(out);
  }

  #updateError(at: number): void {
    const stepMs = at - this.#at;
    this.#at = at;
    if (stepMs !== this.#stepMs) {
      this.#stepMs = stepMs;
      this.#oldWeight = this.#noise.correlationS > 0 ? Math.exp(-stepMs / 1000 / this.#noise.correlationS) : 0;
      this.#newWeight = Math.sqrt(1 - this.#oldWeight * this.#oldWeight);
    }
    this.#east = this.#oldWeight * this.#east + this.#newWeight * this.#random.gaussian();
    this.#north = this.#oldWeight * this.#north + this.#newWeight * this.#random.gaussian();
  }

  #addOutlier(out: Fix): void {
    const random = this.#random;
    const m = random.between(...this.#noise.outlierM);
    const angle = random.between(0, 2 * Math.PI);
    out.eastM += m * Math.cos(angle);
    out.northM += m * Math.sin(angle);
    if (random.chance(0.5)) out.accuracyM = m;
  }
}
