import { GEOCODERS } from './edge/geocoding/forms.ts';
import { fixedPortsOf } from './edge/listeners/listen-setting.ts';
import { listenedTopicsOf, requireLevels } from './edge/listeners/mqtt-setting.ts';
import { topicSources } from './edge/protocols/mqtt/sources.ts';
import { trackerProtocols } from './edge/protocols/trackers/trackers.ts';
import { parseRanges } from './platform/egress/ip.ts';
import { LOG_LEVELS } from './platform/log.ts';
import { BadSetting, type Declaration, flag, integer, oneOf, text } from './platform/settings.ts';

const ranges = (about: string): Declaration<string> => ({
  ...text('', about),
  read(value) {
    const { wrong } = parseRanges(value);
    if (wrong === undefined) return value;
    throw new BadSetting(
      `must be a comma-separated list of ranges like 10.1.0.0/16; ${JSON.stringify(wrong)} is not one`,
    );
  },
});

/** Whoever is believed without being a proxy can claim any address, and so evade every limit that counts by address. */
const proxies = (about: string): Declaration<string> => ({
  ...text('', about),
  read(value) {
    const given = value.trim();
    if (/^(false|0|no|off)$/i.test(given)) return '';
    if (/^([1-9]|1[0-6])$/.test(given)) return given;
    if (/[.:]/.test(given) && parseRanges(given).wrong === undefined) return given;
    throw new BadSetting(
      `must be the number of proxies in front of the server, such as 1, or the ranges of their addresses, such as 10.0.0.0/8,fd00::/8, not ${JSON.stringify(value)}`,
    );
  },
});

const webAddress = (byDefault: string, about: string): Declaration<string> => ({
  ...text(byDefault, about),
  read(value) {
    if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
    throw new BadSetting(`must be an address like ${byDefault}, not ${JSON.stringify(value)}`);
  },
});

const geocoder = (about: string): Declaration<string> => ({
  ...text('', about, { secret: true }),
  read(value) {
    if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
    throw new BadSetting('must be an address like https://nominatim.example.com');
  },
});

/** Plain http would show every sign-in to whoever is on the way, except on this machine. */
const issuer = (about: string): Declaration<string> => ({
  ...text('', about),
  read(value) {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const isHere = url !== undefined && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname);
    if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)) return value;
    throw new BadSetting(`must be an https:// address, not ${JSON.stringify(value)}`);
  },
});

const MIN_SECRET = 32;

const secrets = (about: string): Declaration<string> => ({
  ...text('', about, { secret: true }),
  read(value) {
    if (value.split(',').every((one) => one.trim().length >= MIN_SECRET)) return value;
    throw new BadSetting(`must have at least ${MIN_SECRET} characters, such as those of: openssl rand -base64 32`);
  },
});

const ports = (about: string): Declaration<string> => ({
  ...text('', about),
  read(value) {
    fixedPortsOf(value, trackerProtocols);
    return value;
  },
});

const topicLevels = (byDefault: string, about: string): Declaration<string> => ({
  ...text(byDefault, about),
  read(value) {
    requireLevels(value);
    return value;
  },
});

const topics = (about: string): Declaration<string> => ({
  ...text('', about),
  read(value) {
    listenedTopicsOf(value, topicSources);
    return value;
  },
});

/** Every setting of the service, declared once. `port` is `TRACKWAY_PORT` in the environment and `--port` as a flag. */
export const SETTINGS = {
  host: text('127.0.0.1', 'Address to listen on. 0.0.0.0 accepts connections from other machines.'),
  port: integer(8080, 'Port to listen on; 0 picks a free one.', { min: 0, max: 65_535 }),
  trackersPort: integer(
    5010,
    'Port for trackers, by TCP and UDP, whatever protocol they speak; 0 picks a free one, -1 opens none.',
    { min: -1, max: 65_535 },
  ),
  listen: ports(
    'More ports for trackers, each for one protocol: gt06:5023,teltonika:5027. ;relay behind one: a connection may speak for many devices; ;anychecksum: wrong checksums are accepted.',
  ),
  trackersCert: text('', 'File of a certificate (PEM) for trackers that use TLS, on all of their ports.'),
  trackersKey: text('', 'File of its key (PEM), if the file of the certificate does not hold it too.'),
  trackersIdle: integer(3600, 'Seconds after which the connection of a tracker that says nothing is closed.', {
    min: 600,
    max: 86_400,
  }),
  trackersConnections: integer(20_000, 'Most connections of trackers at a time; 0 = no limit.', { min: 0 }),
  trackersPerAddress: integer(
    5000,
    'Most of them from one address; 0 = no limit. Many trackers share an address of their network.',
    { min: 0 },
  ),
  data: text('./data', 'Folder for the embedded database.'),
  databaseUrl: text(
    '',
    'postgres://… to store the data in PostgreSQL instead of the data folder. Several addresses of one database, separated by commas: the one that is no standby is used.',
    { secret: true },
  ),
  databaseDirectUrl: text(
    '',
    'postgres://… of the database itself where databaseUrl leads to a connection pooler: for the one connection by which servers hear of each other. Without it they poll.',
    { secret: true },
  ),
  databasePrepared: flag(
    true,
    'Whether statements are prepared and timeouts are set once per connection; no behind a pooler in transaction mode, such as PgBouncer.',
  ),
  databaseConnections: integer(16, 'Most connections of this server to PostgreSQL, all in all.', { min: 12, max: 500 }),
  secret: secrets(
    'Encrypts the secrets in the database, at least 32 characters; the same for all servers of one database. Without it, the file trackway.key in the data folder does. New first, then old ones, separated by commas.',
  ),
  acceptDamage: flag(false, 'Whether to go on writing to an embedded database in which damage was found.'),
  startEmpty: flag(
    false,
    'Whether to start with an empty database where the data folder holds only traces of an older one.',
  ),
  nodeName: text('', 'Name of this node where several share a database. Without one, the name of the machine.'),
  publicUrl: text('', 'Address at which people and devices reach the service, if it differs from host and port.'),
  mapStyle: text('', 'Address of a MapLibre style for the map. Without one, an admin chooses the map in the console.'),
  mapHosts: text('', 'Other servers that the map style loads from, separated by commas: https://tiles.example.com.'),
  mapOverlay: text(
    '',
    'A GeoJSON file to draw on the map, such as the streets or buildings of a site. It is readable without signing in.',
  ),
  geocoderUrl: geocoder(
    'Address of a geocoder that gives the addresses of positions. Without one, places have the names of geofences and towns.',
  ),
  geocoderKind: oneOf(GEOCODERS, 'nominatim', 'Which kind of geocoder it is.'),
  geocoderRate: integer(1, 'Most requests to it a second; public servers allow one.', { min: 1, max: 1000 }),
  geocoderCredit: text('© OpenStreetMap contributors', 'Whose data its addresses are, shown beside them.'),
  adminEmail: text('', 'E-mail address of an admin to create at the first start.'),
  adminPassword: text('', 'Password of that admin, at least 8 characters.', { secret: true }),
  trustProxy: proxies(
    'The proxies in front of the server, whose X-Forwarded-For is believed: how many there are, such as 1, or their address ranges, such as 10.0.0.0/8.',
  ),
  adminSecondFactor: flag(
    false,
    'Whether admins need a second factor: without an authenticator app or a passkey they have the rights of an ordinary user.',
  ),
  openidIssuer: issuer(
    'Address of an OpenID Connect provider with which people sign in, such as https://login.example.com.',
  ),
  openidClientId: text('', 'Id of this service at the provider.'),
  openidClientSecret: text('', 'Secret of this service at the provider; empty for a public client.', { secret: true }),
  openidButton: text('Sign in with single sign-on', 'Text of the button on the sign-in page.'),
  openidDomains: text(
    '',
    'Domains of e-mail addresses that may sign in by the provider, such as example.com,example.org. Empty allows all.',
  ),
  openidCreateUsers: flag(false, 'Whether somebody who signs in by the provider and has no account gets one.'),
  openidPasswords: flag(true, 'Whether users who have signed in by the provider can still use a password here.'),
  planPurchase: flag(false, 'Whether users may buy plan credits themselves.'),
  bodyLimit: integer(102_400, 'Largest request body on the API, in bytes.', { min: 1024, max: 104_857_600 }),
  ingestBodyLimit: integer(1_048_576, 'Largest report of a device, in bytes.', { min: 1024, max: 104_857_600 }),
  ingestMaxItems: integer(5000, 'Most items in one report of a device.', { min: 1, max: 1_000_000 }),
  lateWindow: integer(30, 'Positions that arrive more than this many days late are stored, but trigger nothing.', {
    min: 1,
    max: 365,
  }),
  oldNews: integer(
    3600,
    'An event that becomes known more than this many seconds after it happened is sent to machines only, not to people.',
    {
      min: 60,
      max: 31_536_000,
    },
  ),
  packAfter: integer(
    40,
    'Days after which positions and readings are packed, which takes a tenth of the room. They are read as before. 0 = never. At least two days more than TRACKWAY_LATE_WINDOW.',
    { min: 0, max: 36_500 },
  ),
  keepPositions: integer(
    0,
    'Days for which positions are stored; 0 = forever. Plans and devices may say fewer. The newest position of a device always stays.',
    { min: 0, max: 36_500 },
  ),
  keepReadings: integer(
    0,
    'Days for which readings of sensors and gateways are stored; 0 = forever. The newest of each kind always stays.',
    { min: 0, max: 36_500 },
  ),
  keepTrips: integer(
    0,
    'Days for which trips, stops and the sums of days are stored; 0 = forever. They may stay longer than positions.',
    { min: 0, max: 36_500 },
  ),
  keepNotifications: integer(
    0,
    'Days for which notifications are stored; 0 = forever. At least two days more than TRACKWAY_LATE_WINDOW.',
    { min: 0, max: 36_500 },
  ),
  keepCheckpoints: integer(
    0,
    'Days for which former states of devices and ended versions of rules are stored, from which history is judged again; 0 = as long as positions. At least two days more than TRACKWAY_LATE_WINDOW.',
    { min: 0, max: 36_500 },
  ),
  thinAfter: integer(
    0,
    'Days after which one position in 30 seconds is stored, and those where trips and stops begin and end; 0 = never. At least two days more than TRACKWAY_LATE_WINDOW.',
    { min: 0, max: 36_500 },
  ),
  quarantineDays: integer(90, 'Days that quarantined items are stored.', { min: 1, max: 3650 }),
  rateLimit: integer(2000, 'Requests per minute per user; 0 = no limit.', { min: 0 }),
  ingestRateLimit: integer(0, 'Reports per minute per device; 0 = no limit.', { min: 0 }),
  loginRateLimit: integer(12, 'Requests per minute per address to sign-in routes; 0 = no limit.', { min: 0 }),
  metricsToken: text(
    '',
    'Token with which a monitor may read /metrics. Behind a proxy it is the way besides an admin.',
    {
      secret: true,
    },
  ),
  failureLimit: integer(
    60,
    'Wrong device keys and identifiers, or requests for addresses that do not exist, per minute per address; 0 = no limit.',
    { min: 0 },
  ),
  connectionLimit: integer(1000, 'Connections of one address at a time; 0 = no limit. Proxies are not counted.', {
    min: 0,
  }),
  tabToken: integer(
    900,
    'Seconds that the token of a browser tab lasts. The console renews it as long as the browser is signed in.',
    { min: 5, max: 86_400 },
  ),
  sessionIdle: integer(30, 'Days after which a session that is not used ends.', { min: 1, max: 3650 }),
  sessionLife: integer(365, 'Days after which a session ends, even if it is used and refreshed all the time.', {
    min: 1,
    max: 3650,
  }),
  tokenIdle: integer(0, 'Days after which a personal token that is not used ends; 0 = only when it expires.', {
    min: 0,
    max: 3650,
  }),
  quotaDevices: integer(10_000, 'Most devices of a user who is not an admin; 0 = no limit.', { min: 0 }),
  quotaTriggers: integer(5000, 'Most triggers of a user who is not an admin; 0 = no limit.', { min: 0 }),
  quotaDeviceTriggers: integer(100, 'Most of those triggers on one device; 0 = no limit.', { min: 0 }),
  quotaGeofences: integer(10_000, 'Most geofences of a user who is not an admin; 0 = no limit.', { min: 0 }),
  quotaTokens: integer(100, 'Most personal access tokens of a user who is not an admin; 0 = no limit.', { min: 0 }),
  quotaShares: integer(1000, 'Most shares of the devices of a user who is not an admin; 0 = no limit.', { min: 0 }),
  auditDays: integer(400, 'Days for which the audit trail is kept.', { min: 1, max: 36_500 }),
  searchDeadline: integer(2000, 'Milliseconds after which a list that no index can serve is aborted.', {
    min: 50,
    max: 60_000,
  }),
  sqsEndpoint: text('', 'Address of an SQS-compatible server. Without one, AWS is used.'),
  sqsAllow: text(
    '',
    'Queues that users may forward to without proving that they are theirs: a comma-separated list of ARNs in which * matches anything.',
  ),
  smtpUrl: text(
    '',
    'smtp://user:password@host:587 or smtps://… of your server for outgoing mail. Logs in by TLS only, unless it ends in ?requireTLS=false.',
    {
      secret: true,
    },
  ),
  shareLimit: integer(
    50,
    'New e-mail addresses that a user may share devices with a day; 0 = no limit. Admins have none.',
    {
      min: 0,
    },
  ),
  mailLimit: integer(200, 'Notifications a day that a user may have mailed to other people; 0 = no limit.', { min: 0 }),
  invitedSignUp: flag(
    true,
    'Whether somebody without an account may make one when a device is shared with their address. Admins can invite in any case.',
  ),
  smtpFrom: text('', 'Sender of mail, such as Trackway <track@example.com>.'),
  mqttUrl: text('', 'mqtt://user:password@host:1883 or mqtts://… of the broker to publish to.', { secret: true }),
  mqttPublicUrl: text('', 'Address of the broker for programs that subscribe to it, if it differs from mqttUrl.'),
  mqttListen: topics(
    'What devices publish to the broker of mqttUrl that is read here: owntracks,openmqttgateway,teltonika,homeassistant. Behind a colon, the first levels of the topics: openmqttgateway:garage. Devices are known by their serial number or IMEI, and must be allowed to report without a key.',
  ),
  homeAssistant: text(
    '',
    'E-mail address of the user whose devices are shown in Home Assistant, by the broker of mqttUrl. Empty shows none.',
  ),
  homeAssistantPrefix: topicLevels('homeassistant', 'First levels of the discovery topics of Home Assistant.'),
  mqttHookSecret: text('', 'Secret with which the broker asks who may connect and subscribe, at /broker.', {
    secret: true,
  }),
  telegramToken: text('', 'Token of the Telegram bot that sends notifications, from @BotFather.', {
    secret: true,
  }),
  telegramUrl: webAddress('https://api.telegram.org', 'Address of a server of the Telegram Bot API.'),
  allowTargets: ranges('Address ranges inside your network that webhooks may reach, such as 10.1.0.0/16,fd00::/8.'),
  securityContact: text(
    '',
    'Whom finders of weaknesses of this server write to: an e-mail or web address, shown at /.well-known/security.txt.',
  ),
  logLevel: oneOf(LOG_LEVELS, 'info', 'How much to log.'),
} satisfies Record<string, Declaration<unknown>>;

export type Settings = {
  readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] extends Declaration<infer T> ? T : never;
};
