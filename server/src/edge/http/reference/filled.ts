import { exampleOf } from '@trackway/contract/examples/examples.ts';
import type { Operation } from '@trackway/contract/operation.ts';
import { OPERATIONS } from '@trackway/contract/operations.ts';
import type { Filled } from '../pages/reference/samples.js';

const KEY = 'dk_8Qm2Zr5Yt7Uw9Xv1Bc3Nf6Lp';
const TIME = '2026-06-01T12:00:00Z';

/** What does not end with an answer, or speaks the language of an app, is none of the contract's operations. */
const OTHERS: Readonly<Record<string, Filled>> = {
  live: { values: { devices: '7,8' } },
  socket: { values: { devices: '7,8' } },
  deviceSocket: { values: { device: '7' } },
  reportByOsmand: {
    values: { key: KEY },
    body: { location: { timestamp: TIME, coords: { latitude: 46.4983, longitude: 11.3548, accuracy: 8, speed: 12 } } },
  },
  reportByOwntracks: {
    values: { key: KEY },
    body: { _type: 'location', lat: 46.4983, lon: 11.3548, acc: 8, vel: 42, tst: 1_780_315_200 },
  },
  reportByOverland: {
    values: { key: KEY },
    body: {
      locations: [
        {
          type: 'Feature',
          geometry: { type: 'Point', coordinates: [11.3548, 46.4983] },
          properties: { timestamp: TIME, horizontal_accuracy: 8, speed: 12 },
        },
      ],
    },
  },
  reportByTheThingsStack: {
    values: {},
    body: {
      end_device_ids: { device_id: 'probe', dev_eui: '70B3D57ED0012ABC' },
      uplink_message: { f_port: 2, f_cnt: 42, frm_payload: 'AWcA4Q==', received_at: TIME },
    },
  },
  reportByChirpStack: {
    values: {},
    body: { deviceInfo: { devEui: '70b3d57ed0012abc' }, time: TIME, fCnt: 42, fPort: 2, data: 'AWcA4Q==' },
  },
  reportBySigfox: { values: {}, body: { device: 'C1A2B3', time: 1_780_315_200, data: '0a1b2c', seqNumber: 77 } },
  reportByFrame: { values: { protocol: 'h02' }, body: { data: 'KkhRLDEyMzQ1Njc4OTAsSFRCVCM=', device: '1234567890' } },
};

const operationOf = (name: string): Operation | undefined => (OPERATIONS as Record<string, Operation>)[name];

/**
 * The values of parameters, and the body, of the example of an operation.
 * @param described the body that its description has, if it is none of the contract's operations
 */
export function filledOf(name: string, described?: unknown): Filled {
  const operation = operationOf(name);
  if (operation === undefined) return OTHERS[name] ?? { values: {}, body: described };
  const { path, query, body } = exampleOf(operation);
  const { list } = operation.body ?? {};
  // The client knows only the object, not the bare list that is taken for it.
  const sent = Array.isArray(body) && list !== undefined ? { [list]: body } : body;
  return { values: { ...path, ...query }, ...(sent !== undefined && { body: sent }) };
}
