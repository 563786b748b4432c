import { type Static, Type } from 'typebox';
import { operation } from '../../operation.ts';
import { noun, object, text } from '../../schema.ts';
import { SET_UP_CHANNELS } from '../../wording/channel-fields.ts';

/** Channels that admins set up for the whole server. */

const channel = () => Type.Enum([...SET_UP_CHANNELS], { title: 'set up channel', description: 'The channel.' });
const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const shown = Type.Object(
  {
    channel: channel(),
    missing: orNull('What is missing before it can send; null if it is set up.'),
    fields: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Name of the field.' }),
          value: orNull('Its value. Null for secrets, and for what the operator has set.'),
          isSet: Type.Boolean({ description: 'Whether it has a value.' }),
          fixedBy: orNull('The environment variable of the operator that comes first; null if an admin can change it.'),
        },
        { title: 'channel field' },
      ),
      { description: 'Its fields.' },
    ),
  },
  { title: 'channel setup' },
);
export type ChannelSetupShown = Static<typeof shown>;

const channelChange = noun(
  'channelSetup',
  {
    channel: channel(),
    values: object('The values of fields to change, as texts; null removes one. Others do not change.'),
  },
  { required: ['channel', 'values'], sentAs: 'channel setup request' },
);

const channelTest = noun(
  'channelTest',
  {
    channel: channel(),
    address: text('Where to send it: of `telegram` a chat, of `sqs` the ARN of a queue. Ignored for other channels.', {
      maxLength: 300,
    }),
  },
  { required: ['channel'], sentAs: 'channel test request' },
);

const example = [
  {
    channel: 'telegram',
    missing: null,
    fields: [{ name: 'telegramToken', value: null, isSet: true, fixedBy: null }],
  },
];

export const channelOperations = {
  listChannels: operation('GET', '/channels', 'admin', {
    summary: 'List the channels of this server',
    description: 'How e-mail, Telegram, SQS and MQTT are set up. Secrets are never returned.',
    answer: Type.Array(shown),
    example: { answer: example },
  }),
  setUpChannel: operation('PUT', '/channels', 'admin', {
    summary: 'Set up a channel',
    description:
      'Takes effect within seconds on all nodes, without a restart. Values are stored encrypted. Settings of the operator come first. Servers inside the network of this machine must be allowed by `TRACKWAY_ALLOW_TARGETS`.',
    body: { noun: channelChange, mode: 'create' },
    answer: Type.Array(shown),
    refuses: [422],
    example: { body: { channel: 'telegram', values: { telegramToken: '123456:ABC-DEF' } }, answer: example },
  }),
  testChannel: operation('POST', '/channels/test', 'admin', {
    summary: 'Send a test by a channel',
    description:
      'Sends it at once: by `email` to the address of the caller, by `mqtt` to the topic `users/{id}/test` of the caller.',
    body: { noun: channelTest, mode: 'create' },
    answer: Type.Object(
      {
        isSent: Type.Boolean({ description: 'Whether it was sent.' }),
        reason: orNull('Why not; null if it was sent.'),
      },
      { title: 'channel test result' },
    ),
    refuses: [422],
    example: { body: { channel: 'email' }, answer: { isSent: true, reason: null } },
  }),
};
