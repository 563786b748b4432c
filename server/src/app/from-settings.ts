import type { AddressInfo } from 'node:net';
import { CHANNEL_FIELDS } from '@trackway/contract/wording/channel-fields.ts';
import type { SendingPolicy } from '../domain/delivery/sending-policy.ts';
import type { KeptHistory } from '../domain/history/kept-history.ts';
import { type ChannelValues, enteredSetting } from '../domain/service/channel-setup.ts';
import { VERSION } from '../domain/service/info.ts';
import type { AccountMailer } from '../domain/users/account-letters.ts';
import type { SessionLife } from '../domain/users/tokens.ts';
import { channelsSetUp, setupOf } from '../edge/channels/channels.ts';
import { type CertificateFiles, type CertificateSource, certificateReader } from '../edge/http/certificate-files.ts';
import { createGeocoder } from '../edge/integrations/geocoder.ts';
import { createRouter } from '../edge/integrations/router.ts';
import type { Egress } from '../platform/egress/client.ts';
import type { Log } from '../platform/log.ts';
import { SETTINGS, type Settings } from './settings.ts';

const DAY_MS = 86_400_000;

export const sessionLifeOf = ({ sessionIdle, sessionLife, tokenIdle }: Settings): SessionLife => ({
  idleMs: sessionIdle * DAY_MS,
  mostMs: sessionLife * DAY_MS,
  tokenIdleMs: tokenIdle * DAY_MS,
});

export const keptHistoryOf = (settings: Settings): KeptHistory => ({
  positions: settings.keepPositions,
  readings: settings.keepReadings,
  trips: settings.keepTrips,
  notifications: settings.keepNotifications,
  checkpoints: settings.keepCheckpoints,
  thinAfter: settings.thinAfter,
  windowMs: settings.lateWindow * DAY_MS,
});

/** Without a configured public address, links point to this machine if its address is known. */
export function sendingPolicyOf(settings: Settings): SendingPolicy {
  const { publicUrl, port, oldNews, mailLimit: toOthersPerDay } = settings;
  const known = publicUrl || (port === 0 ? '' : addressOf(settings, { port }));
  const mail = {
    get canAsk() {
      return known !== '' && channelsSetUp(settings).email!;
    },
    toOthersPerDay,
  };
  return { publicUrl: known, oldNewsMs: oldNews * 1000, mail };
}

export function accountMailerOf(
  settings: Settings,
  { publicUrl }: SendingPolicy,
  parts: Pick<AccountMailer, 'wake' | 'seal'>,
): AccountMailer {
  const noAddress = publicUrl === '' ? 'Links need the address of the server: set TRACKWAY_PUBLIC_URL.' : undefined;
  return {
    ...parts,
    publicUrl,
    get missing() {
      return setupOf(settings).email.missing ?? noAddress;
    },
  };
}

/** A file of a certificate may hold the key too. */
export const certificateFilesOf = (cert: string, key: string): CertificateFiles => ({ cert, key: key || cert });

/** Undefined if the server serves plain HTTP. */
export const certificateSourceOf = ({ tlsCert, tlsKey }: Settings, log: Log): CertificateSource | undefined =>
  tlsCert === '' ? undefined : certificateReader(certificateFilesOf(tlsCert, tlsKey), log);

/** Trackers use the certificate of the server unless they have one of their own. */
export const trackersCertificateOf = (
  { trackersCert, trackersKey }: Settings,
  ofServer: CertificateSource | undefined,
  log: Log,
): CertificateSource | undefined =>
  trackersCert === '' ? ofServer : certificateReader(certificateFilesOf(trackersCert, trackersKey), log);

/** The public URL follows from the domain, if there is one and the settings do not name another. */
export const withDomain = (settings: Settings): Settings =>
  settings.domain === '' || settings.publicUrl !== ''
    ? settings
    : { ...settings, publicUrl: `https://${settings.domain}` };

export function addressOf(
  { host, tlsCert, domain }: Pick<Settings, 'host' | 'tlsCert' | 'domain'>,
  { port }: Pick<AddressInfo, 'port'>,
): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${tlsCert === '' && domain === '' ? 'http' : 'https'}://${name}:${port}`;
}

/** Addresses of positions, where the operator has a geocoder. */
export function geocoderOf(settings: Settings, egress: Egress, log: Log) {
  const { geocoderUrl: url, geocoderKind: kind, geocoderRate: perSecond, geocoderCredit: attribution } = settings;
  if (url === '') return undefined;
  return createGeocoder({ url, kind, perSecond, attribution, egress, log, agent: `Trackway/${VERSION}` });
}

/** Travel times of public links, where the operator has a routing service. */
export function routerOf({ routingUrl: url, routingKind: kind }: Settings, egress: Egress, log: Log) {
  return url === '' ? undefined : createRouter({ url, kind, egress, log, agent: `Trackway/${VERSION}` });
}

/** Settings that admins can enter in the console. */
const ENTERED = [
  ...new Set(
    Object.values(CHANNEL_FIELDS).flatMap((fields) =>
      Object.values(fields as Record<string, { setting: string }>).map(({ setting }) => setting as keyof Settings),
    ),
  ),
];

export const isGiven = (given: Settings, setting: string) =>
  given[setting as keyof Settings] !== SETTINGS[setting as keyof Settings].default;

/** The settings of the operator, and where these are absent, what admins entered: at each reading the current value. */
export function liveSettings(given: Settings, values: ChannelValues): Settings {
  const live = { ...given };
  for (const setting of ENTERED)
    if (!isGiven(given, setting))
      Object.defineProperty(live, setting, {
        enumerable: true,
        get: () => enteredSetting(values.current(), setting) || given[setting],
      });
  return live;
}
