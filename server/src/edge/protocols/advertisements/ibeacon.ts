import { type AdvertisementFormat, beaconId, manufacturerData } from './advertisement.ts';

const APPLE = 0x004c;
const IBEACON = 0x0215;

export const ibeacon: AdvertisementFormat = {
  name: 'ibeacon',
  decode(element) {
    const data = manufacturerData(element, APPLE);
    if (!data || data.length < 23 || data.readUInt16BE(0) !== IBEACON) return undefined;
    return { sensorDeviceId: beaconId(data.subarray(2, 22)), readings: [], txPower: data.readInt8(22) };
  },
};
