import { answerOf, count, create, list, read, remove, removeAll, update } from './operation.ts';
import { anything, id, key, noun, number, object, text, time } from './schema.ts';

/**
 * What a gateway heard: a device that listens by radio to tags and sensors, most of them without a network of their own.
 * Seen from the gateway it is a gateway reading, seen from the sensed device a reading: one resource, two paths.
 */
const fields = {
  id: id(),
  timestamp: time('When it was measured; the time of reception where absent.'),
  created: time('When the service took it in.', { readOnly: true }),
  type: text(
    'What was measured: temp (°C), humidity, pressure, light, battery, ext_voltage, ble_seen, uwb_seen (cm), ultra, accel_3d, tamper_detected, geofence_log, or any other.',
    { minLength: 1, maxLength: 100 },
  ),
  value: anything('The measured value: any JSON value but null.'),
  rssi: number('Signal strength in dBm.'),
  meta: object('Whatever else belongs to it.'),
  relatedId: key("Another device's radio id."),
  correlationId: text('The transmission it came with.', { maxLength: 200 }),
  gatewayId: key('The device that heard it.'),
  deviceId: key('The device that was sensed.'),
  sensorDeviceId: text("The sensed device's own identifier: a MAC address, a serial number.", { maxLength: 200 }),
  datapointId: key('The position of the gateway at that moment.'),
};

const rules = { required: ['type', 'value'], always: ['timestamp', 'created', 'type', 'value'] } as const;

export const gatewayReading = noun('gatewayReading', fields, rules);
export const reading = noun('reading', fields, rules);

/** The update takes and answers everything but the sensed device's own identifier. */
const { sensorDeviceId: _, ...updatable } = fields;
const gatewayReadingUpdate = noun('gatewayReading', updatable, rules);

const heard = '/devices/{id}/gatewayReadings';
const sensed = '/devices/{id}/readings';

export const gatewayReadingOperations = {
  listGatewayReadings: list(gatewayReading, heard, 'view'),
  countGatewayReadings: count(gatewayReading, heard, 'view'),
  createGatewayReading: create(gatewayReading, heard, 'manage'),
  getGatewayReading: read(gatewayReading, `${heard}/{fk}`, 'view', {
    summary: 'Get one gateway reading of a device by its id',
  }),
  updateGatewayReading: update(gatewayReadingUpdate, `${heard}/{fk}`, 'manage', {
    summary: 'Update one gateway reading of a device',
  }),
  deleteGatewayReading: remove(gatewayReading, `${heard}/{fk}`, 'own'),
  deleteGatewayReadings: removeAll(gatewayReading, heard, 'own'),

  listReadings: list(reading, sensed, 'view'),
  countReadings: count(reading, sensed, 'view'),
  createReading: create(reading, sensed, 'manage'),
  getReading: read(reading, `${sensed}/{fk}`, 'view'),
  updateReading: update(reading, `${sensed}/{fk}`, 'manage', { answer: answerOf(reading) }),
  deleteReading: remove(reading, `${sensed}/{fk}`, 'own'),
  deleteReadings: removeAll(reading, sensed, 'own'),
};
