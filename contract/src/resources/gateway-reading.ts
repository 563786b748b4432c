import { answerOf, count, create, list, read, remove, removeAll, update } from '../operation.ts';
import { anything, id, key, noun, number, object, text, time } from '../schema.ts';

/**
 * A value that a gateway received by radio from a tag or sensor, which usually has no network connection. The same
 * resource has two paths: it is a gateway reading of the gateway, and a reading of the sensed device.
 */
const fields = {
  id: id(),
  timestamp: time('When the value was measured. Defaults to the time of reception.'),
  created: time('When the service received it.', { readOnly: true }),
  type: text(
    'Type of the value: `temp` (°C), `humidity`, `pressure`, `light`, `battery`, `ext_voltage`, `ble_seen`, `uwb_seen` (cm), `ultra`, `accel_3d`, `tamper_detected`, `geofence_log`, or any other string.',
    { minLength: 1, maxLength: 100 },
  ),
  value: anything('Measured value: any JSON value except null.'),
  rssi: number('Signal strength in dBm.'),
  meta: object('Custom data.'),
  relatedId: key('Radio id of another device.'),
  correlationId: text('Id of the transmission it was part of.', { maxLength: 200 }),
  gatewayId: key('Id of the gateway that received it, which the caller may manage.'),
  deviceId: key('Id of the sensed device, which the caller may manage.'),
  sensorDeviceId: text('Own identifier of the sensed device, such as a MAC address or a serial number.', {
    maxLength: 200,
  }),
  datapointId: key('Id of the position of the gateway at that time.'),
};

const rules = { required: ['type', 'value'], always: ['timestamp', 'created', 'type', 'value'] } as const;

export const gatewayReading = noun('gatewayReading', fields, rules);
export const reading = noun('reading', fields, rules);

/** The published update neither accepts nor returns the sensed device's own identifier. */
const { sensorDeviceId: _, ...updatable } = fields;
const gatewayReadingUpdate = noun('gatewayReading', updatable, { ...rules, shownAs: 'updated gateway reading' });

const gatewayReadings = '/devices/{id}/gatewayReadings';
const readings = '/devices/{id}/readings';
const keepsForeign = { description: 'Readings that also refer to a device that the caller may not manage are kept.' };
const latest = {
  description:
    'By `timestamp`, then by id, unless `order` says otherwise. A range of `timestamp` is limited to its latest 90 days.',
};

export const gatewayReadingOperations = {
  listGatewayReadings: list(gatewayReading, gatewayReadings, 'view', latest),
  countGatewayReadings: count(gatewayReading, gatewayReadings, 'view'),
  createGatewayReading: create(gatewayReading, gatewayReadings, 'manage'),
  getGatewayReading: read(gatewayReading, `${gatewayReadings}/{fk}`, 'view', {
    summary: 'Get one gateway reading of a device by its id',
  }),
  updateGatewayReading: update(gatewayReadingUpdate, `${gatewayReadings}/{fk}`, 'manage', {
    summary: 'Update one gateway reading of a device',
  }),
  deleteGatewayReading: remove(gatewayReading, `${gatewayReadings}/{fk}`, 'own'),
  deleteGatewayReadings: removeAll(gatewayReading, gatewayReadings, 'own', keepsForeign),

  listReadings: list(reading, readings, 'view', latest),
  countReadings: count(reading, readings, 'view'),
  createReading: create(reading, readings, 'manage'),
  getReading: read(reading, `${readings}/{fk}`, 'view'),
  updateReading: update(reading, `${readings}/{fk}`, 'manage', { answer: answerOf(reading) }),
  deleteReading: remove(reading, `${readings}/{fk}`, 'own'),
  deleteReadings: removeAll(reading, readings, 'own', keepsForeign),
};
