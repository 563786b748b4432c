import { GEOCODERS } from '../edge/integrations/geocoder-forms.ts';
import { ROUTERS } from '../edge/integrations/router.ts';
import { fixedPortsOf, listenedTopicsOf, requireLevels } from '../edge/listeners/listen-setting.ts';
import { topicSources } from '../edge/protocols/mqtt/sources.ts';
import { trackerProtocols } from '../edge/protocols/trackers/trackers.ts';
import { parseRanges } from '../platform/egress/ip.ts';
import { LOG_LEVELS } from '../platform/log.ts';
import { BadSetting, type Declaration, flag, integer, oneOf, text } from '../platform/settings.ts';

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

/** A trusted sender that is not a proxy can claim any address, and so evade every limit per address. */
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

/** An address that is not called by default. */
const optionalAddress = (example: string, about: string, more: { secret?: boolean } = {}): Declaration<string> => ({
  ...text('', about, more),
  read(value) {
    if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
    throw new BadSetting(`must be an address like ${example}`);
  },
});

/** Plain http would expose every sign-in to the network, except on this machine. */
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
    throw new BadSetting(`must have at least ${MIN_SECRET} characters, such as the output of: openssl rand -base64 32`);
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

const MOST_PROCESSES = 64;

const processCount = (about: string): Declaration<string> => ({
  ...text('1', about),
  read(value) {
    const given = value.trim();
    if (given === 'auto' || (/^[1-9]\d?$/.test(given) && Number(given) <= MOST_PROCESSES)) return given;
    throw new BadSetting(`must be auto, or a number from 1 to ${MOST_PROCESSES}, not ${JSON.stringify(value)}`);
  },
});

/** A number of days, or 0. */
const keptDays = (about: string, byDefault = 0) => integer(byDefault, about, { min: 0, max: 36_500 });

/** Every setting of the service, declared once. `port` is `TRACKWAY_PORT` in the environment and `--port` as a flag. */
export const SETTINGS = {
  host: text('127.0.0.1', 'Address to listen on. 0.0.0.0 accepts connections from other machines.'),
  port: integer(8080, 'Port to listen on; 0 picks a free one.', { min: 0, max: 65_535 }),
  tlsCert: text(
    '',
    'File of a certificate with its chain (PEM): the server then serves HTTPS. Reloaded when it changes.',
  ),
  tlsKey: text('', 'File of the private key (PEM), unless the certificate file contains it.'),
  redirectPort: integer(-1, 'Port that redirects HTTP to HTTPS, such as 80; 0 picks a free one, -1 opens none.', {
    min: -1,
    max: 65_535,
  }),
  domain: text(
    '',
    'Domain of the server, such as track.example.com: the server then obtains and renews its certificate by ACME. The authority must be able to reach redirectPort at port 80 of the domain or, without redirectPort, this server at port 443.',
  ),
  acmeEmail: text('', 'E-mail address for the account at the certificate authority.'),
  acmeTerms: flag(false, 'Whether you accept the terms of service of the certificate authority.'),
  acmeDirectory: webAddress(
    'https://acme-v02.api.letsencrypt.org/directory',
    'Address of the ACME directory of the certificate authority.',
  ),
  acmeRoots: text(
    '',
    'File of root certificates (PEM) for the server of the authority, if the system does not trust it.',
  ),
  trackersPort: integer(5010, 'Port for trackers of all protocols, TCP and UDP; 0 picks a free one, -1 opens none.', {
    min: -1,
    max: 65_535,
  }),
  listen: ports(
    'More ports for trackers, each for one protocol: gt06:5023,teltonika:5027. traccar: the well-known port of every protocol. Options: ;relay lets a connection report for many devices; ;anychecksum accepts wrong checksums.',
  ),
  trackersCert: text(
    '',
    'File of a certificate (PEM) for trackers that use TLS, on all of their ports. Default: tlsCert.',
  ),
  trackersKey: text('', 'File of the private key (PEM), unless the certificate file contains it.'),
  trackersIdle: integer(3600, 'Seconds of silence after which the connection of a tracker is closed.', {
    min: 600,
    max: 86_400,
  }),
  trackersConnections: integer(20_000, 'Maximum number of open connections of trackers; 0 = no limit.', { min: 0 }),
  trackersPerAddress: integer(
    1000,
    'Maximum number of open connections of trackers from one address; 0 = no limit. Many trackers share an address of their network.',
    { min: 0 },
  ),
  data: text('./data', 'Folder for the embedded database.'),
  databaseUrl: text(
    '',
    'postgres://… to store the data in PostgreSQL instead of the data folder. Several addresses of one database, separated by commas: the one that is not a standby is used.',
    { secret: true },
  ),
  databaseDirectUrl: text(
    '',
    'postgres://… of the database itself if databaseUrl leads to a connection pooler: servers use it to notify each other. Without it, they poll.',
    { secret: true },
  ),
  databasePrepared: flag(
    true,
    'Whether statements are prepared and timeouts are set once per connection; no behind a pooler in transaction mode, such as PgBouncer.',
  ),
  databaseConnections: integer(16, 'Maximum number of connections of each process to PostgreSQL.', {
    min: 12,
    max: 500,
  }),
  processes: processCount(
    'Number of processes that serve the same ports, each a node of its own; auto = one for each core. More than one needs PostgreSQL. UDP is served by the first.',
  ),
  secret: secrets(
    'Key that encrypts the secrets in the database, at least 32 characters; the same for all servers of one database. Default: the file trackway.key in the data folder. To rotate, set the new key before the old one, separated by a comma.',
  ),
  acceptDamage: flag(false, 'Whether to continue writing to a damaged embedded database.'),
  startEmpty: flag(
    false,
    'Whether to start with an empty database if the data folder contains only remains of an older one.',
  ),
  upgradeBackups: integer(
    3,
    'Number of backups to keep from before upgrades; 0 = none are made. The server makes one before it migrates the embedded database.',
    { min: 0, max: 100 },
  ),
  nodeName: text('', 'Name of this node if several share a database. Default: the name of the machine.'),
  publicUrl: text('', 'Address of the service for people and devices, if it differs from host and port.'),
  mapStyle: text('', 'Address of a MapLibre style for the map. Without one, an admin chooses the map in the console.'),
  mapHosts: text('', 'Other servers that the map style loads from, separated by commas: https://tiles.example.com.'),
  mapOverlay: text(
    '',
    'A GeoJSON file to draw on the map, such as the streets or buildings of a site. It is readable without signing in.',
  ),
  geocoderUrl: optionalAddress(
    'https://nominatim.example.com',
    'URL of a geocoder for the addresses of positions. Without one, places have the names of geofences and towns.',
    { secret: true },
  ),
  geocoderKind: oneOf(GEOCODERS, 'nominatim', 'Type of the geocoder.'),
  geocoderRate: integer(1, 'Maximum number of requests to the geocoder per second; public servers allow one.', {
    min: 1,
    max: 1000,
  }),
  geocoderCredit: text('© OpenStreetMap contributors', 'Attribution of its addresses, shown next to them.'),
  routingUrl: optionalAddress(
    'https://osrm.example.com',
    'URL of a routing service for the distance and travel time of public links by road. Without one, they are in a straight line.',
    { secret: true },
  ),
  routingKind: oneOf(ROUTERS, 'osrm', 'Type of the routing service.'),
  adminEmail: text('', 'E-mail address of an admin to create at the first start.'),
  adminPassword: text('', 'Password of that admin, at least 8 characters.', { secret: true }),
  trustProxy: proxies(
    'The proxies in front of the server whose X-Forwarded-For is trusted: their number, such as 1, or their address ranges, such as 10.0.0.0/8.',
  ),
  adminSecondFactor: flag(
    false,
    'Whether admins need a second factor: without an authenticator app or a passkey they have the rights of an ordinary user.',
  ),
  openidIssuer: issuer('Address of an OpenID Connect provider for signing in, such as https://login.example.com.'),
  openidClientId: text('', 'Client ID of this service at the provider.'),
  openidClientSecret: text('', 'Secret of this service at the provider; empty for a public client.', { secret: true }),
  openidButton: text('Sign in with single sign-on', 'Text of the button on the sign-in page.'),
  openidDomains: text(
    '',
    'Domains of e-mail addresses that may sign in with the provider, such as example.com,example.org. Empty allows all.',
  ),
  openidCreateUsers: flag(false, 'Whether people who sign in with the provider get an account if they have none.'),
  openidPasswords: flag(true, 'Whether users who have signed in with the provider can still use a password.'),
  planPurchase: flag(false, 'Whether users may buy plan credits themselves.'),
  bodyLimit: integer(102_400, 'Largest request body on the API, in bytes.', { min: 1024, max: 104_857_600 }),
  ingestBodyLimit: integer(1_048_576, 'Largest report of a device, in bytes.', { min: 1024, max: 104_857_600 }),
  ingestMaxItems: integer(5000, 'Maximum number of items in one report of a device.', { min: 1, max: 1_000_000 }),
  commitWait: integer(
    10,
    'Milliseconds that a commit waits for more reports while more than 50 reports arrive per second. 0: no wait.',
    { min: 0, max: 1000 },
  ),
  lateWindow: integer(30, 'Positions that arrive more than this many days late are stored, but fire no triggers.', {
    min: 1,
    max: 365,
  }),
  oldNews: integer(
    3600,
    'Events that become known more than this many seconds after they happened are sent only to machines, not to people.',
    {
      min: 60,
      max: 31_536_000,
    },
  ),
  packAfter: keptDays(
    'Days after which positions and readings are packed, which takes a tenth of the space. They can be read as before. 0 = never. At least two days more than TRACKWAY_LATE_WINDOW.',
    40,
  ),
  keepPositions: keptDays(
    'Retention of positions in days; 0 = forever. Plans and devices can set fewer. The newest position of a device is always kept.',
  ),
  keepReadings: keptDays(
    'Retention of readings of sensors and gateways in days; 0 = forever. The newest of each kind is always kept.',
  ),
  keepTrips: keptDays(
    'Retention of trips, stops and daily totals in days; 0 = forever. It may be longer than that of positions.',
  ),
  keepNotifications: keptDays(
    'Retention of notifications in days; 0 = forever. At least two days more than TRACKWAY_LATE_WINDOW.',
  ),
  keepCheckpoints: keptDays(
    'Retention in days of the device state history and of ended versions of rules, which are needed to re-evaluate history; 0 = as long as positions. At least two days more than TRACKWAY_LATE_WINDOW.',
  ),
  thinAfter: keptDays(
    'Days after which positions are thinned to one in 30 seconds; those where trips and stops begin and end are kept. 0 = never. At least two days more than TRACKWAY_LATE_WINDOW.',
  ),
  quarantineDays: integer(90, 'Days that quarantined items are stored.', { min: 1, max: 3650 }),
  rateLimit: integer(2000, 'Requests per minute per user; 0 = no limit.', { min: 0 }),
  ingestRateLimit: integer(0, 'Reports per minute per device; 0 = no limit.', { min: 0 }),
  loginRateLimit: integer(12, 'Requests per minute per address to sign-in routes; 0 = no limit.', { min: 0 }),
  metricsToken: text(
    '',
    'Token for a monitor to read /metrics. Behind a proxy, only this token or an admin can read them.',
    {
      secret: true,
    },
  ),
  failureLimit: integer(
    60,
    'Wrong device keys and identifiers, or requests for addresses that do not exist, per minute per address; 0 = no limit.',
    { min: 0 },
  ),
  connectionLimit: integer(
    1000,
    'Maximum number of open connections of one address; 0 = no limit. Proxies are not counted.',
    {
      min: 0,
    },
  ),
  tabToken: integer(
    900,
    'Lifetime of the token of a browser tab in seconds. The console renews it while the browser is signed in.',
    { min: 5, max: 86_400 },
  ),
  sessionIdle: integer(30, 'Days after which an unused session ends.', { min: 1, max: 3650 }),
  sessionLife: integer(365, 'Days after which a session ends, even if it is in use.', {
    min: 1,
    max: 3650,
  }),
  tokenIdle: integer(0, 'Days after which an unused personal token ends; 0 = only when it expires.', {
    min: 0,
    max: 3650,
  }),
  quotaDevices: integer(10_000, 'Maximum number of devices of a user who is not an admin; 0 = no limit.', { min: 0 }),
  quotaTriggers: integer(5000, 'Maximum number of triggers of a user who is not an admin; 0 = no limit.', { min: 0 }),
  quotaDeviceTriggers: integer(100, 'Maximum number of triggers of such a user on one device; 0 = no limit.', {
    min: 0,
  }),
  quotaGeofences: integer(10_000, 'Maximum number of geofences of a user who is not an admin; 0 = no limit.', {
    min: 0,
  }),
  quotaTokens: integer(100, 'Maximum number of personal access tokens of a user who is not an admin; 0 = no limit.', {
    min: 0,
  }),
  quotaMessages: integer(
    10_000,
    'Maximum number of pending messages to devices of a user who is not an admin; 0 = no limit.',
    {
      min: 0,
    },
  ),
  quotaDeviceMessages: integer(200, 'Maximum number of pending messages to one device; 0 = no limit.', { min: 0 }),
  quotaShares: integer(1000, 'Maximum number of shares of the devices of a user who is not an admin; 0 = no limit.', {
    min: 0,
  }),
  quotaIdentityClaims: integer(
    100,
    'Maximum number of devices of a user who is not an admin whose IMEI or serial number is not approved yet; 0 = no limit.',
    { min: 0 },
  ),
  auditDays: integer(400, 'Retention of the audit trail in days.', { min: 1, max: 36_500 }),
  stopTimeout: integer(
    9,
    'Maximum duration of a shutdown in seconds. After that, work in progress is aborted, and continues after the next start. Set it below the time after which your orchestrator kills the process: 10 s with Docker.',
    { min: 1, max: 3600 },
  ),
  searchDeadline: integer(2000, 'Milliseconds of CPU time after which a list that no index can serve is aborted.', {
    min: 50,
    max: 60_000,
  }),
  sqsEndpoint: text('', 'Address of an SQS-compatible server. Without one, AWS is used.'),
  sqsAllow: text(
    '',
    'Queues that users may forward to without verification: a comma-separated list of ARNs; * matches anything.',
  ),
  sqsAccessKeyId: text(
    '',
    'ID of the AWS access key for queues. Without one, the AWS SDK looks for credentials itself.',
  ),
  sqsSecretAccessKey: text('', 'Secret of that access key.', { secret: true }),
  smtpUrl: text(
    '',
    'smtp://user:password@host:587 or smtps://… of your server for outgoing mail. Logs in over TLS only, unless it ends in ?requireTLS=false.',
    {
      secret: true,
    },
  ),
  shareLimit: integer(
    50,
    'Number of new e-mail addresses that a user can share devices with per day; 0 = no limit. Admins have no limit.',
    {
      min: 0,
    },
  ),
  mailLimit: integer(
    200,
    'Number of notifications that a user can send to e-mail addresses of other people per day; 0 = no limit.',
    { min: 0 },
  ),
  invitedSignUp: flag(
    true,
    'Whether people without an account may create one when a device is shared with their address. Admins can always invite.',
  ),
  smtpFrom: text('', 'Sender of mail, such as Trackway <track@example.com>.'),
  mqttUrl: text('', 'mqtt://user:password@host:1883 or mqtts://… of the broker to publish to.', { secret: true }),
  mqttPublicUrl: text('', 'Address of the broker for programs that subscribe to it, if it differs from mqttUrl.'),
  mqttListen: topics(
    'Topics to read from the broker of mqttUrl: owntracks,openmqttgateway,teltonika,homeassistant. After a colon, the first levels of the topics: openmqttgateway:garage. Devices are identified by their serial number or IMEI, and must be allowed to report without a key.',
  ),
  homeAssistant: text(
    '',
    'E-mail address of the user whose devices are shown in Home Assistant through the broker of mqttUrl. Empty shows none.',
  ),
  homeAssistantPrefix: topicLevels('homeassistant', 'First levels of the discovery topics of Home Assistant.'),
  mqttHookSecret: text('', 'Secret that the broker sends to /broker when it checks connections and subscriptions.', {
    secret: true,
  }),
  telegramToken: text('', 'Token of the Telegram bot that sends notifications, from @BotFather.', {
    secret: true,
  }),
  telegramUrl: webAddress('https://api.telegram.org', 'Address of a server of the Telegram Bot API.'),
  allowTargets: ranges(
    'Address ranges inside your network that webhooks and ntfy messages may reach, such as 10.1.0.0/16,fd00::/8.',
  ),
  updatesUrl: optionalAddress(
    'https://registry.npmjs.org/trackway/latest',
    'Address of a JSON document whose field version is the newest version. The health page then shows whether it is newer. It is requested at most once a day, when the page is open.',
  ),
  securityContact: text(
    '',
    'Contact for reports of vulnerabilities: an e-mail or web address, shown at /.well-known/security.txt.',
  ),
  logLevel: oneOf(LOG_LEVELS, 'info', 'How much to log.'),
} satisfies Record<string, Declaration<unknown>>;

export type Settings = {
  readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] extends Declaration<infer T> ? T : never;
};
