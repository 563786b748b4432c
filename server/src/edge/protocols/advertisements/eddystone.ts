import {
  type Advertised,
  type AdvertisedReading,
  type AdvertisementFormat,
  eddystoneId,
  serviceData,
} from './advertisement.ts';

const EDDYSTONE = 0xfeaa;
const FRAME = { uid: 0x00, telemetry: 0x20 } as const;
const NO_TEMPERATURE = 0x8000;

export const eddystone: AdvertisementFormat = {
  name: 'eddystone',
  decode(element) {
    const data = serviceData(element, EDDYSTONE);
    if (data?.[0] === FRAME.uid && data.length >= 18)
      return { sensorDeviceId: eddystoneId(data.subarray(2, 18)), readings: [], txPower: data.readInt8(1) };
    if (data?.[0] === FRAME.telemetry && data.length >= 14) return telemetryOf(data);
    return undefined;
  },
};

function telemetryOf(data: Buffer): Advertised {
  if (data[1] !== 0) return { readings: [], isEncrypted: true };
  const readings: AdvertisedReading[] = [];
  // A beacon on mains power sends 0 V.
  if (data.readUInt16BE(2) !== 0) readings.push({ type: 'battery_mv', value: data.readUInt16BE(2) });
  if (data.readUInt16BE(4) !== NO_TEMPERATURE) readings.push({ type: 'temp', value: data.readInt16BE(4) / 256 });
  return { readings, packetId: data.readUInt32BE(6) };
}
