import type { TSchema } from 'typebox';
import { answerOf, bodySchemaOf } from '../operation.ts';
import { deviceConfig } from '../resources/device-config.ts';
import { gatewayReading } from '../resources/gateway-reading.ts';
import { geofence } from '../resources/geofence.ts';
import { message } from '../resources/message.ts';
import { point } from '../resources/point.ts';
import { type Fields, type Noun, noun } from '../schema.ts';
import { refusals } from './answers.ts';
import { type NamedSchemas, withoutDefaults } from './named-schemas.ts';

/** The addresses where devices report. They stand beside the versions of the API, and take the key of a device, or the token of whom it belongs to. */

type Json = Record<string, unknown>;

const INGEST = 'Reporting';
export const INGEST_TAG = { name: INGEST, description: 'Where devices report. Their addresses begin at the root.' };

export const DEVICE_KEY = {
  type: 'apiKey',
  in: 'header',
  name: 'Authorization',
  description: 'Key of a device. `Bearer <key>` is taken too, and the key as the password of HTTP Basic.',
};

/** What a device may report of a noun: all that it can set, and nothing is required. */
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
  title: 'taken',
  type: 'object',
  description: 'What the device has taken of the last answers.',
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
    rtk: { type: 'object', description: 'What the device says of its RTK receiver.', additionalProperties: true },
  },
};

const QUARANTINED = {
  title: 'quarantined item',
  type: 'object',
  required: ['list', 'index', 'reason'],
  properties: {
    list: text('List that contained the item.'),
    index: whole('Place in the list, from 0.'),
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
      'Number of items that were not stored, since they are older than what is kept. Absent if there are none.',
    ),
    quarantined: listOf(QUARANTINED, 'Items that cannot be true. They are stored apart: do not send them again.'),
    config: { ...answerOf(deviceConfig), description: 'The configuration, if it has changed.' },
    geofence: { ...answerOf(geofence), description: 'The safe zone, if it has changed.' },
    messages: listOf(answerOf(message), 'Messages that wait for the device, in order.'),
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

const AT_THE_ROOT = [{ url: '/', description: 'Devices report beside the versions of the API.' }];
const REFUSED = [400, 401, 403, 413, 415, 429, 503, 507] as const;

/** The apps whose protocols are spoken, by the word in their addresses. */
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
          'The answer is sent after the report is stored durably: repeat every report that was not acknowledged, what is sent again is stored once. Items that cannot be true are acknowledged too, and stored apart with the reason. The answer holds what waits for the device; confirm it in `taken` of the next report.\n\nAccess: devices, with their key.',
        security: [{ DeviceKey: [] }],
        parameters: [],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: schemas.named(withoutDefaults(REPORT)), example: EXAMPLE } },
        },
        responses: {
          200: {
            description: 'Stored.',
            content: { 'application/json': { schema: schemas.named(withoutDefaults(RECEIVED)), example: ANSWER } },
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
          'Frames are JSON texts: the device sends `{id, report}`, with a number or text of its own and a report as above; `{id, status, …}` comes back after the report is stored durably, with the status and the content that the answer to a request would have. Several reports can be under way.\n\nAccess: devices, with their key.',
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
        'The address of callbacks, by GET, form or JSON. A device that asks for a downlink gets the next message of 16 hexadecimal digits, else the answer is 204.',
      ),
    },
    '/ingest/raw/{protocol}': { post: describedRaw(schemas) },
  };
}

/** What networks post is their own matter too. They send the token of a user. */
function describedNetwork(schemas: NamedSchemas, word: string, network: string, how: string): Json {
  const any = { schema: {} };
  return {
    operationId: `reportBy${word}`,
    servers: AT_THE_ROOT,
    tags: [INGEST],
    summary: `Report from a network: ${network}`,
    description: `${how} The answer is sent after everything is stored durably. What cannot be used is answered 2xx too, with the reason in \`ignored\`: networks switch off an address that refuses too often.\n\nAccess: users, for devices of their own. A token that may only report suffices.`,
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
      'Number of items that were not stored, since they are older than what is kept. Absent if there are none.',
    ),
    quarantined: listOf(QUARANTINED, 'Items that cannot be true. They are stored apart.'),
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
    'The body is the frame, or `{"data": "base64 or hex", "device": "IMEI, serial number or ICCID"}`; the headers `X-Imei`, `X-Iccid` and `X-Device` name the device too. The body of the answer is what the tracker is told, and the header `X-Report-Ignored` tells what was not used.',
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
      // One kind alone: generators make no client that can send bytes or else JSON.
      content: { 'application/octet-stream': bytes },
    },
    responses: {
      200: {
        description: 'Stored. The body is in the words of the tracker.',
        content: { 'application/octet-stream': bytes },
      },
      204: { description: 'Stored, or ignored. The tracker is told nothing.' },
      ...refused,
    },
  };
}

/** What apps send is their own matter: it is described only so far that one finds the address. */
function describedPhone(name: string, app: string): Json {
  const word = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const any = { schema: {} };
  return {
    operationId: `reportBy${word}`,
    servers: AT_THE_ROOT,
    tags: [INGEST],
    summary: `Report from a phone: ${app}`,
    description:
      'The address to set in the app, which sends and understands its own protocol; GET works too. Without the key in the path, it is taken from the parameter `key`, or from the password of HTTP Basic.\n\nAccess: devices, with their key.',
    security: [],
    parameters: [KEY_IN_PATH],
    requestBody: { required: false, content: { 'application/json': any, 'application/x-www-form-urlencoded': any } },
    responses: {
      200: { description: 'Stored. The body is in the words of the app.', content: { 'application/json': any } },
      ...Object.fromEntries(
        [400, 401, 403, 413].map((status) => [status, { description: 'Refused, in the words of the app.' }]),
      ),
      ...refusals([429, 503, 507]),
    },
  };
}
