import { parseRanges } from './platform/egress/ip.ts';
import { LOG_LEVELS } from './platform/log.ts';
import { BadSetting, type Declaration, flag, integer, oneOf, text } from './platform/settings.ts';

const ranges = (about: string): Declaration<string> => ({
  ...text('', about),
  read(value) {
    const { wrong } = parseRanges(value);
    if (wrong === undefined) return value;
    throw new BadSetting(`must be a comma list of ranges like 10.1.0.0/16; ${JSON.stringify(wrong)} is none`);
  },
});

const webAddress = (byDefault: string, about: string): Declaration<string> => ({
  ...text(byDefault, about),
  read(value) {
    if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
    throw new BadSetting(`must be an address like ${byDefault}, not ${JSON.stringify(value)}`);
  },
});

/** Every setting of the service, declared once. `port` is `TRACKWAY_PORT` in the environment and `--port` as a flag. */
export const SETTINGS = {
  host: text('127.0.0.1', 'Address to listen on. 0.0.0.0 lets other machines in.'),
  port: integer(8080, 'Port to listen on; 0 takes a free one.', { min: 0, max: 65_535 }),
  data: text('./data', 'Folder of the embedded database.'),
  databaseUrl: text('', 'postgres://… to keep the data in PostgreSQL instead of the data folder.', { secret: true }),
  publicUrl: text('', 'Address by which people and devices reach the service, where it differs from host and port.'),
  mapStyle: text('', 'Address of a MapLibre style for the map; a simple map of its own is shown without one.'),
  mapHosts: text(
    '',
    'Servers that the map style loads from besides its own, separated by commas: https://tiles.example.com.',
  ),
  mapOverlay: text(
    '',
    'A GeoJSON file that is drawn on the map: the streets or buildings of a site. Anyone may read it.',
  ),
  adminEmail: text('', 'E-mail address of an admin to make at the first start.'),
  adminPassword: text('', 'Password of that admin, at least 8 characters.', { secret: true }),
  trustProxy: flag(false, 'Whether X-Forwarded-For tells the address of a caller. Only behind a proxy of your own.'),
  planPurchase: flag(false, 'Whether users may buy plan credits themselves.'),
  bodyLimit: integer(102_400, 'Largest body on the API, in bytes.', { min: 1024, max: 104_857_600 }),
  ingestBodyLimit: integer(1_048_576, 'Largest report of a device, in bytes.', { min: 1024, max: 104_857_600 }),
  ingestMaxItems: integer(5000, 'Most items in one report of a device.', { min: 1, max: 1_000_000 }),
  lateWindow: integer(30, 'Days after which a fix that comes late is stored, but not judged any more.', {
    min: 1,
    max: 365,
  }),
  oldNews: integer(
    3600,
    'Seconds after which something that happened is old news when it becomes known: only machines are told.',
    {
      min: 60,
      max: 31_536_000,
    },
  ),
  rateLimit: integer(2000, 'Requests a minute a user may make; 0 = no limit.', { min: 0 }),
  ingestRateLimit: integer(0, 'Reports a minute a device may send; 0 = no limit.', { min: 0 }),
  loginRateLimit: integer(12, 'Requests a minute an address may make to log-in routes; 0 = no limit.', { min: 0 }),
  searchDeadline: integer(2000, 'Milliseconds after which a list that no index serves is given up.', {
    min: 50,
    max: 60_000,
  }),
  sqsEndpoint: text('', 'Address of an SQS-compatible server; AWS itself where it is not set.'),
  sqsAllow: text('*', 'Queues that users may forward to: a comma list of ARNs in which * stands for anything.'),
  smtpUrl: text('', 'smtp://user:password@host:587 or smtps://… of the server that takes outgoing mail.', {
    secret: true,
  }),
  smtpFrom: text('', 'Sender of mail, like Trackway <track@example.com>.'),
  mqttUrl: text('', 'mqtt://user:password@host:1883 or mqtts://… of the broker to publish to.', { secret: true }),
  telegramToken: text('', 'Token of the Telegram bot that sends notifications, as @BotFather gives it.', {
    secret: true,
  }),
  telegramUrl: webAddress('https://api.telegram.org', 'Address of the server of the Telegram Bot API.'),
  allowTargets: ranges('Ranges of addresses inside your network that webhooks may reach, as 10.1.0.0/16,fd00::/8.'),
  logLevel: oneOf(LOG_LEVELS, 'info', 'How much is logged.'),
} satisfies Record<string, Declaration<unknown>>;

export type Settings = {
  readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] extends Declaration<infer T> ? T : never;
};
