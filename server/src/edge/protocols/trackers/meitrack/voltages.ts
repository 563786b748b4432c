interface Scale {
  /** Volts for one step of the battery's converter, and of the external supply's. */
  readonly battery: number;
  readonly power: number;
}

const HUNDREDTHS: Scale = { battery: 1 / 100, power: 1 / 100 };
const TEN_BITS: Scale = { battery: (3 * 2) / 1024, power: (3 * 16) / 1024 };
const TWELVE_BITS: Scale = { battery: (3.3 * 2) / 4096, power: (3.3 * 16) / 4096 };

const TEN_BIT_MODELS = /^MVT(340|380)/i;
const TWELVE_BIT_MODELS = /^(MVT(100|600|800)|T1$|T3$|TC68)/i;

/** A battery of this kind has 2.8 to 4.6 V: by that the scale is told where the model is not known. */
const isBattery = (volts: number) => volts >= 2.8 && volts <= 4.6;

export function scaleOf(model: string | undefined, battery: number): Scale {
  if (model !== undefined && TEN_BIT_MODELS.test(model)) return TEN_BITS;
  if (model !== undefined && TWELVE_BIT_MODELS.test(model)) return TWELVE_BITS;
  return [HUNDREDTHS, TEN_BITS, TWELVE_BITS].find((scale) => isBattery(battery * scale.battery)) ?? HUNDREDTHS;
}

export const volts = (value: number) => Math.round(value * 1000) / 1000;
