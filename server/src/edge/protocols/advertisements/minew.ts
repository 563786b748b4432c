import { type AdvertisedReading, type AdvertisementFormat, reversedAddressOf, serviceData } from './advertisement.ts';

const MINEW = 0xffe1;
const SENSOR_FRAME = 0xa1;
const VERSION = { humidityTemperature: 0x01, acceleration: 0x03, info: 0x08 } as const;

export const minew: AdvertisementFormat = {
  name: 'minew',
  decode(element) {
    const data = serviceData(element, MINEW);
    if (!data || data.length < 3 || data[0] !== SENSOR_FRAME) return undefined;
    const battery: AdvertisedReading = { type: 'battery', value: data[2] };
    const fixed = (at: number) => data.readInt16BE(at) / 256;
    const address = (at: number) => reversedAddressOf(data.subarray(at, at + 6));
    switch (data[1]) {
      case VERSION.humidityTemperature:
        if (data.length < 13) return undefined;
        return {
          sensorDeviceId: address(7),
          readings: [
            battery,
            { type: 'temp', value: fixed(3) },
            { type: 'humidity', value: data.readUInt16BE(5) / 256 },
          ],
        };
      case VERSION.acceleration:
        if (data.length < 15) return undefined;
        return {
          sensorDeviceId: address(9),
          readings: [battery, { type: 'accel_3d', value: [fixed(3), fixed(5), fixed(7)] }],
        };
      case VERSION.info:
        if (data.length < 9) return undefined;
        return {
          sensorDeviceId: address(3),
          readings: [{ ...battery, meta: { name: data.toString('utf8', 9).replace(/\0+$/, '') } }],
        };
      default:
        return undefined;
    }
  },
};
