/** The path of the web sockets. They are not in the table of operations because they have no single response. */
export const SOCKET_PATH = '/chasm/ws';

export const SOCKET_ENCODINGS = ['json', 'hex', 'decimal', 'base64'] as const;

const FRAMES = `Frames are JSON texts of at most 100 kB. Times are ISO 8601. \`messageId\` is a text of your own, at most 200
characters; the answer has it too.

| You send | Fields | Effect |
|---|---|---|
| \`subscribe\` | \`data\`: device identifiers, separated by commas | One \`subscribed\` for each device, and its events from then on |
| \`unsubscribe\` | \`data\`, as above | One \`unsubscribed\` for each |
| \`out\` | \`device\`, \`data\`, \`encoding\` | Sends a message to the device; \`ack\` once it is stored |

| You get | Fields | When |
|---|---|---|
| \`subscribed\`, \`unsubscribed\` | \`device\`, \`timestamp\` | As asked for; \`unsubscribed\` also when your right on the device ends |
| \`in\` | \`device\`, \`data\`, \`encoding\`, \`timestamp\` | The device sent a message |
| \`srv\` | \`device\`, \`data\`, \`encoding\`, \`timestamp\` | Any other live event; \`data\` is \`{event, id, data}\` as in the live stream of version 1 |
| \`ack\` | \`timestamp\` | A message is stored |
| \`error\` | \`error\`, \`timestamp\` | A frame cannot be read, or what it asks for is not possible |

Each frame that you send counts as a request. The server pings every 30 s. It closes with 1001 when it stops, 1008 when the
token ends, 1009 for a frame that is too large, and 1013 for a client that reads too slowly.`;

const ONE = `The same for one device: frames have no \`device\`, and there is nothing to subscribe to. \`out\` needs the right
to manage the device. The end of the right on the device closes the socket with 1008.`;

const query = (name: string, description: string, schema: object = { type: 'string' }) => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
});

const COMMON = [
  query('encoding', 'How `data` of `in` and `out` encodes the bytes of a message.', {
    type: 'string',
    enum: SOCKET_ENCODINGS,
    default: 'json',
  }),
  query('lastEventId', 'The `id` of the last `srv` received: what came after it is sent first.'),
  query('authorization', 'Token, for clients that cannot send headers.'),
];

interface DescribedSocket {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly object[];
}

/** The description of each web socket, by its path. */
export const SOCKETS: Readonly<Record<string, DescribedSocket>> = {
  [SOCKET_PATH]: {
    operationId: 'socket',
    summary: 'Open a web socket to devices',
    description: `${FRAMES}\n\nAccess: every signed-in user. A device needs the right to view it, and \`out\` to manage it.`,
    parameters: [
      query('devices', 'Identifiers of devices to subscribe to at once, separated by commas, at most 1000.'),
      ...COMMON,
    ],
  },
  [`${SOCKET_PATH}/{device}`]: {
    operationId: 'deviceSocket',
    summary: 'Open a web socket to one device',
    description: `${ONE}\n\nAccess: users who may view the device, and admins.`,
    parameters: [
      {
        name: 'device',
        in: 'path',
        required: true,
        description: 'Id, serial number or IMEI of the device, with or without `id:`, `serial:` or `imei:` before it.',
        schema: { type: 'string' },
      },
      ...COMMON,
    ],
  },
};
