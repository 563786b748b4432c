import { type TSchema, Type } from 'typebox';
import { answerOf, nullable, operation } from '../../operation.ts';
import { type Fields, flag, id, integer, key, noun, number, place, required, text, time } from '../../schema.ts';

/** Receivers with centimetre accuracy. */

export const POSITION_TYPES = ['invalid', 'fixed', '2d', 'standalone', 'rtkFloat', 'rtkFix'] as const;
export type PositionType = (typeof POSITION_TYPES)[number];
export const BASE_STATUSES = [
  'offline',
  'initializing',
  'no_signal',
  'online_fixed',
  'online_surveyed',
  'surveying',
] as const;

const positionType = Type.Enum([...POSITION_TYPES], { title: 'rtk position type', description: 'Kind of fix.' });

/** An object without an id: all fields except those named may be null. */
const shownAs = <F extends Fields, A extends keyof F & string>(title: string, fields: F, always: readonly A[]) =>
  Type.Object(
    Object.fromEntries(
      Object.entries(fields).map(([name, schema]) => [
        name,
        (always as readonly string[]).includes(name) ? schema : nullable(schema),
      ]),
    ),
    { title },
  ) as TSchema;

const deviceId = key('Id of the device.', { readOnly: true });
const group = text('Group of the receiver.', { maxLength: 100 });
const accuracy = number('Accuracy in metres.');

const status = Type.Unsafe<RtkStatus>(
  shownAs(
    'i rtk device',
    {
      deviceId,
      group,
      msgMask: integer('Bits of the corrections that it accepts.'),
      connected: time('When it last reported as a receiver.'),
      locationUpdated: time('When it last reported its position.'),
      location: place('Where it is.'),
      accuracy,
      positionType,
      currentBaseId: integer('Id of the base station it uses.'),
    },
    ['deviceId', 'positionType'],
  ),
);

export interface RtkStatus {
  readonly deviceId: number;
  readonly group: string | null;
  readonly msgMask: number | null;
  readonly connected: string | null;
  readonly locationUpdated: string | null;
  readonly location: { readonly lat: number; readonly lng: number } | null;
  readonly accuracy: number | null;
  readonly positionType: PositionType;
  readonly currentBaseId: number | null;
}

const degrees = (description: string, most: number) => number(description, { minimum: -most, maximum: most });

const base = Type.Unsafe<RtkBase>(
  shownAs(
    'i rtk base',
    {
      deviceId,
      type: Type.Enum(['primary', 'secondary'], { description: 'Kind of base station.' }),
      group,
      connected: time('When it last came online.'),
      surveyCompleted: time('When its survey was completed.'),
      location: place('Where it is.'),
      accuracy,
      status: Type.Enum([...BASE_STATUSES], {
        title: 'rtk base station status',
        description: 'Status of the base station.',
      }),
      fixedPositionLat: degrees('Latitude it was set to.', 90),
      fixedPositionLng: degrees('Longitude it was set to.', 180),
      fixedPositionAlt: number('Altitude it was set to, in metres.'),
      surveyTime: number('Duration of the survey in seconds.'),
      surveyMinAcc: number('Accuracy the survey needs, in metres.'),
      surveyRequested: time('When a survey was requested.'),
      valid: flag('Whether its position is valid.'),
    },
    ['deviceId', 'status', 'valid'],
  ),
);

export interface RtkBase {
  readonly deviceId: number;
  readonly type: 'primary' | 'secondary' | null;
  readonly group: string | null;
  readonly connected: string | null;
  readonly surveyCompleted: string | null;
  readonly location: { readonly lat: number; readonly lng: number } | null;
  readonly accuracy: number | null;
  readonly status: (typeof BASE_STATUSES)[number];
  readonly fixedPositionLat: number | null;
  readonly fixedPositionLng: number | null;
  readonly fixedPositionAlt: number | null;
  readonly surveyTime: number | null;
  readonly surveyMinAcc: number | null;
  readonly surveyRequested: string | null;
  readonly valid: boolean;
}

export const rtkLog = noun(
  'iRtkLog',
  {
    id: id(),
    timestamp: time('When it was logged.'),
    deviceId,
    msgType: text('Type of the message.', { maxLength: 100 }),
    baseStationId: integer('Id of the base station.'),
    locationType: positionType,
    accuracy,
    lat: degrees('Latitude.', 90),
    lng: degrees('Longitude.', 180),
    linkQuality: number('Quality of the link.'),
    toAddress: text('Receiver of the message.', { maxLength: 100 }),
    fromAddress: text('Sender of the message.', { maxLength: 100 }),
    info: text('Text of the device.'),
  },
  { always: ['timestamp', 'deviceId'] },
);

const UINT32 = 4_294_967_295;

export const rtkCommand = noun(
  'iRtkCommand',
  {
    id: id(),
    deviceId,
    messageId: integer('Number that the device uses in its answer.', { minimum: 1, maximum: UINT32 }),
    commandType: integer(
      'Command: 1 update rate, 2 alert, 3 alert with a prompt, 4 reboot, 5 buffer size, 6 an answer to a prompt.',
    ),
    created: time('When it was sent.', { readOnly: true }),
    sent: time('When the device confirmed it.', { readOnly: true }),
    receivedAck: time('When the device confirmed it.', { readOnly: true }),
    payload: text('The parameters as JSON, base64-encoded.', { maxLength: 65_536 }),
    response: text('What the device answered, base64-encoded.', { maxLength: 131_072 }),
  },
  { always: ['deviceId', 'messageId', 'commandType', 'created'] },
);

const updateRate = {
  intervalMs: integer('Milliseconds between positions. 0 switches it off, 100 is the fastest rate.', {
    minimum: 0,
    not: { minimum: 1, maximum: 99 },
  }),
};
const alert = {
  alertValue: Type.Integer({
    minimum: 0,
    maximum: UINT32,
    description: 'Value that is passed to the device unchanged.',
  }),
};
const prompted = {
  ...alert,
  prompt: text('Text to show.', { minLength: 1, maxLength: 200 }),
  btn1Text: text('Text of the first button.', { maxLength: 20 }),
  btn2Text: text('Text of the second button.', { maxLength: 20 }),
  timeoutS: integer('Seconds to wait for an answer. 0: no limit.', { minimum: 0, maximum: 86_400, default: 0 }),
};
const bufferSize = { maxPoints: integer('Maximum number of buffered positions.', { minimum: 1, maximum: 1000 }) };
const baseStatus = {
  online: flag('Whether the base station is online.'),
  lat: degrees('Latitude. Required if online.', 90),
  lng: degrees('Longitude. Required if online.', 180),
  alt: number('Altitude in metres. Required if online.', { minimum: -12_000, maximum: 100_000 }),
};
const ntripSettings = Type.Object(
  {
    hostname: Type.String({ minLength: 1, maxLength: 253, description: 'Host of the caster.' }),
    portNum: Type.Integer({ minimum: 1, maximum: 65_535, description: 'Port of the caster.' }),
    mountpoint: Type.String({ minLength: 1, maxLength: 100, description: 'Mount point.' }),
    username: Type.Optional(Type.String({ maxLength: 100, description: 'User name.' })),
    password: Type.Optional(Type.String({ maxLength: 200, description: 'Password. Never shown again.' })),
  },
  { description: 'Where the device gets its corrections from.', title: 'i rtk ntrip' },
);
export interface NtripSettings {
  readonly hostname: string;
  readonly portNum: number;
  readonly mountpoint: string;
  readonly username?: string;
  readonly password?: string;
}
const ntrip = { settings: ntripSettings };

const HEADER_ONLY = 'This GET request changes data, so the token is accepted only in a header; POST is recommended.';
const byPost = 'Same as the GET operation, with a JSON body.';
const NEEDS_RTK = 'Refused with 422, code `unsupported`, unless the device reported `rtk` or has `meta.rtk`.';
const answer = answerOf(rtkCommand);
const ok = Type.String({ description: '`ok`.' });

/** The GET of the published API, and its POST. */
const both = <const P extends string, const F extends Fields, A extends TSchema>(
  path: P,
  summary: string,
  model: string,
  fields: F,
  needed: readonly (keyof F & string)[],
  result: A,
) => ({
  get: operation('GET', path, 'manage', {
    summary,
    description: `${NEEDS_RTK} ${HEADER_ONLY}`,
    query: Object.fromEntries(
      Object.entries(fields).map(([name, schema]) => [name, needed.includes(name) ? required(schema) : schema]),
    ) as F,
    answer: result,
    changes: true,
  }),
  post: operation('POST', path, 'manage', {
    summary: `${summary} (POST)`,
    description: byPost,
    body: { noun: noun(model, fields, { required: needed, sentAs: model }), mode: 'create' },
    answer: result,
  }),
});

const rate = both(
  '/devices/{id}/queueRtkCmd_UpdateRateMs',
  'Set the update rate of an RTK receiver',
  'rtk update rate',
  updateRate,
  ['intervalMs'],
  answer,
);
const alertNow = both(
  '/devices/{id}/queueRtkCmd_AlertNow',
  'Alert at an RTK receiver',
  'rtk alert',
  alert,
  ['alertValue'],
  answer,
);
const alertWithPrompt = both(
  '/devices/{id}/queueRtkCmd_AlertWithPrompt',
  'Alert at an RTK receiver with a prompt',
  'rtk prompt',
  prompted,
  ['alertValue', 'prompt'],
  answer,
);
const reboot = both('/devices/{id}/queueRtkCmd_RebootRtk', 'Reboot an RTK receiver', 'rtk reboot', {}, [], answer);
const buffer = both(
  '/devices/{id}/queueRtkCmd_SetPointBufferSize',
  'Set the buffer of an RTK receiver',
  'rtk buffer size',
  bufferSize,
  ['maxPoints'],
  answer,
);
const baseUpdate = both(
  '/devices/{id}/updateRtkBaseStatus',
  'Set the status of an RTK base station',
  'rtk base status',
  baseStatus,
  ['online'],
  base,
);
const ntripUpdate = both(
  '/devices/{id}/setNtripSettings',
  'Set the correction source of an RTK receiver',
  'rtk corrections',
  ntrip,
  ['settings'],
  ok,
);

export const rtkOperations = {
  getRtkStatus: operation('GET', '/devices/{id}/getRtkStatus', 'view', {
    summary: 'Get the status of an RTK receiver',
    description: 'The last reported status of the receiver. Without a receiver, everything is null.',
    answer: status,
  }),
  getRecentRtkLogs: operation('GET', '/devices/{id}/getRecentRtkLogs', 'view', {
    summary: 'List the newest log lines of an RTK receiver',
    description: 'The newest 100, newest first.',
    answer: Type.Array(answerOf(rtkLog)),
  }),
  getRtkCommand: operation('GET', '/devices/{id}/getRtkCommand', 'view', {
    summary: 'Get a command that was sent to an RTK receiver',
    query: {
      messageId: required(integer('Number of the command.', { minimum: 1, maximum: UINT32 })),
    },
    answer,
  }),
  queueRtkUpdateRate: rate.get,
  queueRtkUpdateRateByPost: rate.post,
  queueRtkAlert: alertNow.get,
  queueRtkAlertByPost: alertNow.post,
  queueRtkPrompt: alertWithPrompt.get,
  queueRtkPromptByPost: alertWithPrompt.post,
  queueRtkReboot: reboot.get,
  queueRtkRebootByPost: reboot.post,
  queueRtkBufferSize: buffer.get,
  queueRtkBufferSizeByPost: buffer.post,
  updateRtkBaseStatus: baseUpdate.get,
  updateRtkBaseStatusByPost: baseUpdate.post,
  setNtripSettings: ntripUpdate.get,
  setNtripSettingsByPost: ntripUpdate.post,
};
