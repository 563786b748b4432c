/** Readings that tell that a gateway heard another device nearby. */

/** A LoRa gateway hears devices many kilometres away: that says nothing of their place. */
const FAR_TYPES: readonly string[] = ['lora_seen'];

interface HeardReading {
  readonly gatewayId: number | null;
  readonly deviceId: number | null;
  readonly type: string;
}

/** Whether a reading tells that a gateway heard another device nearby. */
export const isHearing = ({ gatewayId, deviceId, type }: HeardReading) =>
  gatewayId !== null && deviceId !== null && gatewayId !== deviceId && !FAR_TYPES.includes(type);

/** The same as SQL, about a row of readings. */
export const hearingText = (row: string) =>
  `${row}."gatewayId" IS NOT NULL AND ${row}."gatewayId" <> ${row}."deviceId" AND ${row}."type" NOT IN (${FAR_TYPES.map((type) => `'${type}'`)})`;
