/** What admins enter for the channels of a server. */

interface ChannelField {
  /** The setting that it is part of. If the operator has set that one, the field cannot be changed. */
  readonly setting: string;
  /** Whether its value is never returned. */
  readonly isSecret?: true;
  /** Of an address: its protocols, the usual one first. */
  readonly protocols?: readonly string[];
  readonly pattern?: RegExp;
  readonly example?: string;
}

const SENDER = /^[^<>@\r\n]*<?[^\s<>@]+@[^\s<>@]+>?$/;
const WEB = ['https:', 'http:'];

/** The fields of each channel. A new channel or field is a line here, and its texts. */
export const CHANNEL_FIELDS = {
  email: {
    smtpServer: { setting: 'smtpUrl', protocols: ['smtp:', 'smtps:'], example: 'smtp://mail.example.com:587' },
    smtpUser: { setting: 'smtpUrl' },
    smtpPassword: { setting: 'smtpUrl', isSecret: true },
    smtpFrom: { setting: 'smtpFrom', pattern: SENDER, example: 'track@example.com' },
  },
  telegram: {
    telegramToken: { setting: 'telegramToken', isSecret: true, pattern: /^\d+:[\w-]+$/, example: '123456:ABC-DEF' },
    telegramUrl: { setting: 'telegramUrl', protocols: WEB, example: 'https://api.telegram.org' },
  },
  sqs: {
    sqsAccessKeyId: { setting: 'sqsAccessKeyId' },
    sqsSecretAccessKey: { setting: 'sqsSecretAccessKey', isSecret: true },
    sqsEndpoint: { setting: 'sqsEndpoint', protocols: WEB, example: 'https://sqs.example.com' },
    sqsAllow: { setting: 'sqsAllow', example: 'arn:aws:sqs:*:1234567890:*' },
  },
  mqtt: {
    mqttServer: {
      setting: 'mqttUrl',
      protocols: ['mqtt:', 'mqtts:', 'ws:', 'wss:'],
      example: 'mqtts://mqtt.example.com',
    },
    mqttUser: { setting: 'mqttUrl' },
    mqttPassword: { setting: 'mqttUrl', isSecret: true },
  },
} as const satisfies Record<string, Record<string, ChannelField>>;

export type SetUpChannel = keyof typeof CHANNEL_FIELDS;
export const SET_UP_CHANNELS = Object.keys(CHANNEL_FIELDS) as readonly SetUpChannel[];

export const fieldsOf = (channel: SetUpChannel): Readonly<Record<string, ChannelField>> => CHANNEL_FIELDS[channel];
