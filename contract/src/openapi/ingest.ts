import type { TSchema } from 'typebox';
import { recent } from '../examples/recent.ts';
import { answerOf, bodySchemaOf } from '../operation.ts';
import { deviceConfig } from '../resources/device-config.ts';
import { gatewayReading } from '../resources/gateway-reading.ts';
import { geofence } from '../resources/geofence.ts';
import { message } from '../resources/message.ts';
import { point } from '../resources/point.ts';
import { type Fields, type Noun, noun } from '../schema.ts';
import { refusals } from './answers.ts';
import { type NamedSchemas, withoutDefaults } from './named-schemas.ts';

/**
 * The addresses where devices report. They are not part of an API version, and require the key of a device, or the
 * token of its owner.
 */

type Json = Record<string, unknown>;

const INGEST = 'Ingest';
export const INGEST_TAG = {
  name: INGEST,
  description: 'Where devices and networks send their data. The addresses begin at the root.',
};

export const DEVICE_KEY = {
  type: 'apiKey',
  in: 'header',
  name: 'Authorization',
  description: 'Key of a device. `Bearer <key>` is also accepted, and so is the key as the password of HTTP Basic.',
};

/** The fields of a noun that a device may report: all settable ones, none required. */
function reported(name: string, { fields }: Noun, without: readonly string[] = []): TSchema {
  const own: Fields = Object.fromEntries(Object.entries(fields).filter(([field]) => !without.includes(field)));
  return bodySchemaOf({ noun: noun(name, own, { sentAs: name }), mode: 'update' });
}

const timed = (fields: Fields): Fields => ({
  ...fields,
  timestamp: point.fields.timestamp!,
  correlationId: point.fields.correlationId!,
});
const KEYS_OF_THE_SERVER = ['relatedId', 'gatewayId', 'deviceId', 'datapointId'];
const reportedPoint = reported('reported point', point);
const reportedReading = reported('reported reading', gatewayReading, KEYS_OF_THE_SERVER);
const reportedMessage = reported('reported message', { ...message, fields: timed(message.fields) }, [
  'mobileTerminated',
]);

const listOf = (items: unknown, description: string) => ({ type: 'array', items, description });
const whole = (description: string) => ({ type: 'integer', description });
const text = (description: string) => ({ type: 'string', description });

const TAKEN = {
  title: 'accepted',
  type: 'object',
  description: 'Parts of earlier responses that the device has received.',
  properties: {
    messages: listOf({ type: 'integer' }, 'Ids of messages.'),
    config: { type: 'string', format: 'date-time', description: '`modified` of the configuration.' },
    geofence: whole('Id of the safe zone.'),
  },
};

const REPORT = {
  title: 'report',
  type: 'object',
  properties: {
    id: { type: ['string', 'integer'], description: 'Number of the report, for devices without a clock.' },
    points: listOf(reportedPoint, 'Positions.'),
    readings: listOf(reportedReading, 'Values that the device measured.'),
    gatewayReadings: listOf(reportedReading, 'Values that the device received from other devices.'),
    messages: listOf(reportedMessage, 'Messages of the device.'),
    taken: TAKEN,
    currentFW: text('Firmware version the device runs.'),
    rtk: { type: 'object', description: 'Status of the RTK receiver of the device.', additionalProperties: true },
  },
};

const QUARANTINED = {
  title: 'quarantined item',
  type: 'object',
  required: ['list', 'index', 'reason'],
  properties: {
    list: text('List that contained the item.'),
    index: whole('Position in the list, from 0.'),
    reason: text('Why it was quarantined.'),
  },
};

const RECEIVED = {
  title: 'report answer',
  type: 'object',
  required: ['accepted', 'duplicates', 'quarantined', 'messages'],
  properties: {
    accepted: whole('Number of items that were stored.'),
    duplicates: whole('Number of items that had been stored already.'),
    expired: whole(
      'Number of items that were not stored because they are older than the retention period. Absent if there are none.',
    ),
    quarantined: listOf(QUARANTINED, 'Implausible items. They are stored separately: do not send them again.'),
    config: { ...answerOf(deviceConfig), description: 'The configuration, if it has changed.' },
    geofence: { ...answerOf(geofence), description: 'The safe zone, if it has changed.' },
    messages: listOf(answerOf(message), 'Pending messages for the device, in order.'),
  },
};

const TIME = '2026-06-01T12:00:00.000Z';
const EXAMPLE = {
  points: [{ timestamp: TIME, location: { lat: 46.4983, lng: 11.3548 }, accuracy: 8, speed: 42 }],
  readings: [{ timestamp: TIME, type: 'temp', value: 4.5 }],
  messages: [{ message: 'arrived' }],
  taken: { messages: [17], config: '2026-06-01T11:58:00.000Z' },
};
const ANSWER = {
  accepted: 3,
  duplicates: 0,
  quarantined: [],
  messages: [
    {
      id: 64,
      config: null,
      message: 'Return to the depot',
      mobileTerminated: true,
      state: 'queued',
      expires: null,
      failure: null,
      replyId: null,
      created: TIME,
      sent: null,
      deviceId: 7,
      userId: 1,
    },
  ],
};

const AT_THE_ROOT = [{ url: '/', description: 'The paths for devices do not belong to a version of the API.' }];
const REFUSED = [400, 401, 403, 413, 415, 429, 503, 507] as const;

/** Apps with supported protocols, by the word in their address. */
const PHONES = {
  osmand: 'OsmAnd and Traccar Client',
  owntracks: 'OwnTracks, in the mode HTTP',
  overland: 'Overland',
} as const;

const KEY_IN_PATH = {
  name: 'key',
  in: 'path',
  required: true,
  description: 'Key of the device.',
  schema: { type: 'string' },
  example: 'dk_8Qm2Zr5Yt7Uw9Xv1Bc3Nf6Lp',
};

export function describedIngest(schemas: NamedSchemas): Record<string, Json> {
  return {
    '/ingest/reports': {
      post: {
        operationId: 'report',
        servers: AT_THE_ROOT,
        tags: [INGEST],
        summary: 'Report as a device',
        description:
          'The response is sent after the report is stored durably. Repeat every report that was not acknowledged: repeated items are stored once. Implausible items are acknowledged too, and stored separately with the reason. The response contains pending messages and configuration; confirm them in `taken` of the next report.\n\nAccess: devices, with their key.',
        security: [{ DeviceKey: [] }],
        parameters: [],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: schemas.named(withoutDefaults(REPORT)), example: recent(EXAMPLE) } },
        },
        responses: {
          200: {
            description: 'Stored.',
            content: {
              'application/json': { schema: schemas.named(withoutDefaults(RECEIVED)), example: recent(ANSWER) },
            },
          },
          ...refusals(REFUSED),
        },
      },
    },
    '/ingest/stream': {
      get: {
        operationId: 'reportStream',
        servers: AT_THE_ROOT,
        tags: [INGEST],
        summary: 'Report often, over a web socket',
        description:
          'Frames are JSON texts: the device sends `{id, report}`, with a number or text of its own and a report as above; `{id, status, …}` comes back after the report is stored durably, with the status and the fields of the response to a request. Several reports can be sent without waiting.\n\nAccess: devices, with their key.',
        security: [{ DeviceKey: [] }],
        parameters: [
          {
            name: 'key',
            in: 'query',
            required: false,
            description: 'Key of the device, where headers cannot be set.',
            schema: { type: 'string' },
          },
        ],
        responses: {
          101: { description: 'The web socket is open.' },
          ...refusals([400, 401, 426, 429, 503, 507]),
        },
      },
    },
    ...Object.fromEntries(
      Object.entries(PHONES).map(([name, app]) => [`/ingest/${name}/{key}`, { post: describedPhone(name, app) }]),
    ),
    '/ingest/tts': {
      post: describedNetwork(schemas, 'TheThingsStack', 'The Things Stack', 'The address of a webhook with JSON.'),
    },
    '/ingest/chirpstack': {
      post: describedNetwork(schemas, 'ChirpStack', 'ChirpStack 4', 'The address of the HTTP integration with JSON.'),
    },
    '/ingest/sigfox': {
      post: describedNetwork(
        schemas,
        'Sigfox',
        'Sigfox',
        'The address of callbacks, by GET, form or JSON. A device that asks for a downlink gets the next message of 16 hexadecimal digits; otherwise the response is 204.',
      ),
    },
    '/ingest/raw/{protocol}': { post: describedRaw(schemas) },
  };
}

/** The body is defined by the network, too. Networks send the token of a user. */
function describedNetwork(schemas: NamedSchemas, word: string, network: string, how: string): Json {
  const any = { schema: {} };
  return {
    operationId: `reportBy${word}`,
    servers: AT_THE_ROOT,
    tags: [INGEST],
    summary: `Report from a network: ${network}`,
    description: `${how} The response is sent after everything is stored durably. Unusable data also gets a 2xx response, with the reason in \`ignored\`, because networks disable a URL that rejects requests too often.\n\nAccess: users, for devices of their own. A token that may only report suffices.`,
    security: [{ ApiKeyAuth: [] }, { BearerAuth: [] }],
    parameters: [],
    requestBody: { required: false, content: { 'application/json': any } },
    responses: {
      200: {
        description: 'Stored, or ignored with the reason.',
        content: { 'application/json': { schema: schemas.named(NETWORK_ANSWER) } },
      },
      ...refusals([401, 403, 413, 429, 503, 507]),
    },
  };
}

const NETWORK_ANSWER = {
  title: 'network answer',
  type: 'object',
  properties: {
    accepted: whole('Number of items that were stored.'),
    duplicates: whole('Number of items that had been stored already.'),
    expired: whole(
      'Number of items that were not stored because they are older than the retention period. Absent if there are none.',
    ),
    quarantined: listOf(QUARANTINED, 'Implausible items. They are stored separately.'),
    gateways: whole('Number of your gateways that received it.'),
    ignored: text('Why nothing was stored.'),
  },
};

function describedRaw(schemas: NamedSchemas): Json {
  const bytes = { schema: {} };
  const { responses, ...described } = describedNetwork(
    schemas,
    'Frame',
    'frames of trackers that a mobile network posts',
    'The body is the frame, or `{"data": "base64 or hex", "device": "IMEI, serial number or ICCID"}`; the headers `X-Imei`, `X-Iccid` and `X-Device` name the device too. The body of the response is the reply for the tracker, and the header `X-Report-Ignored` contains what was not used.',
  );
  const { 200: _stored, ...refused } = responses as Json;
  return {
    ...described,
    parameters: [
      {
        name: 'protocol',
        in: 'path',
        required: true,
        description: 'Protocol of the tracker, such as `teltonika`.',
        schema: { type: 'string' },
        example: 'teltonika',
      },
    ],
    requestBody: {
      required: true,
      // A single content type: generators cannot create clients that send either bytes or JSON.
      content: { 'application/octet-stream': bytes },
    },
    responses: {
      200: {
        description: 'Stored. The body is in the protocol of the tracker.',
        content: { 'application/octet-stream': bytes },
      },
      204: { description: 'Stored, or ignored. There is no reply for the tracker.' },
      ...refused,
    },
  };
}

/** The body is defined by the app, so only the address is described. */
function describedPhone(name: string, app: string): Json {
  const word = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const any = { schema: {} };
  return {
    operationId: `reportBy${word}`,
    servers: AT_THE_ROOT,
    tags: [INGEST],
    summary: `Report from a phone: ${app}`,
    description:
      'The URL to enter in the app, which uses its own protocol; GET works too. Without the key in the path, it is taken from the parameter `key`, or from the password of HTTP Basic.\n\nAccess: devices, with their key.',
    security: [],
    parameters: [KEY_IN_PATH],
    requestBody: { required: false, content: { 'application/json': any, 'application/x-www-form-urlencoded': any } },
    responses: {
      200: { description: 'Stored. The body is in the protocol of the app.', content: { 'application/json': any } },
      ...Object.fromEntries(
        [400, 401, 403, 413].map((status) => [status, { description: 'Rejected, in the protocol of the app.' }]),
      ),
      ...refusals([429, 503, 507]),
    },
  };
}
