/** The objects that the benches send and request, of realistic size. */

export const READING = {
  timestamp: '2026-03-01T08:30:00.000Z',
  type: 'accel_3d',
  value: { x: 0.12, y: -0.03, z: 9.79 },
  rssi: -67,
  meta: { firmware: '2.4.1', channel: 37 },
  relatedId: 3221,
  correlationId: '7d9f3f6c-8a51-4b0e-9a3e-0c5c1e1f9b42',
  sensorDeviceId: 'd4:ca:6e:12:9f:03',
};

export const GEOFENCE = {
  name: 'Yard',
  type: 'safe',
  outline: [
    { lat: 51.5007, lng: -0.1246 },
    { lat: 51.5012, lng: -0.1201 },
    { lat: 51.4989, lng: -0.1195 },
    { lat: 51.4984, lng: -0.1239 },
  ],
  meta: { colour: 'green' },
  foreignId: 'yard-17',
};
