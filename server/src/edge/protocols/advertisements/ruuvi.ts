import { type AdvertisedReading, type AdvertisementFormat, addressOf, manufacturerData } from './advertisement.ts';

const RUUVI = 0x0499;
const RAW_V2 = 5;
/** Values that mean "not available". */
const ABSENT = { signed: -0x8000, unsigned: 0xffff, power: 0x7ff, movements: 0xff } as const;

export const ruuvi: AdvertisementFormat = {
  name: 'ruuvi',
  decode(element) {
    const data = manufacturerData(element, RUUVI);
    if (!data || data.length < 24 || data[0] !== RAW_V2) return undefined;
    const readings: AdvertisedReading[] = [];
    const temperature = data.readInt16BE(1);
    if (temperature !== ABSENT.signed) readings.push({ type: 'temp', value: temperature / 200 });
    const humidity = data.readUInt16BE(3);
    if (humidity !== ABSENT.unsigned) readings.push({ type: 'humidity', value: humidity / 400 });
    const pressure = data.readUInt16BE(5);
    if (pressure !== ABSENT.unsigned) readings.push({ type: 'pressure', value: (pressure + 50_000) / 100 });
    const acceleration = [7, 9, 11].map((at) => data.readInt16BE(at));
    if (!acceleration.includes(ABSENT.signed))
      readings.push({ type: 'accel_3d', value: acceleration.map((milli) => milli / 1000) });
    const power = data.readUInt16BE(13);
    if (power >> 5 !== ABSENT.power) readings.push({ type: 'battery_mv', value: (power >> 5) + 1600 });
    if (data[15] !== ABSENT.movements) readings.push({ type: 'movement_count', value: data[15] });
    const packetId = data.readUInt16BE(16);
    return {
      sensorDeviceId: addressOf(data.subarray(18, 24)),
      readings,
      ...(packetId === ABSENT.unsigned ? {} : { packetId }),
      ...((power & 0x1f) === 0x1f ? {} : { txPower: (power & 0x1f) * 2 - 40 }),
    };
  },
};
