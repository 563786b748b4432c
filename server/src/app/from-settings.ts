import type { AddressInfo } from 'node:net';
import type { SendingPolicy } from '../domain/sending/sending-policy.ts';
import { VERSION } from '../domain/service/info.ts';
import type { MailDesk } from '../domain/users/mail-links/mail-desk.ts';
import type { SessionLife } from '../domain/users/tokens.ts';
import { channelsSetUp, setupOf } from '../edge/channels/channels.ts';
import { createGeocoder } from '../edge/geocoding/geocoder.ts';
import type { Egress } from '../platform/egress/client.ts';
import type { Log } from '../platform/log.ts';
import type { Settings } from '../settings.ts';

const DAY_MS = 86_400_000;

export const sessionLifeOf = ({ sessionIdle, sessionLife, tokenIdle }: Settings): SessionLife => ({
  idleMs: sessionIdle * DAY_MS,
  mostMs: sessionLife * DAY_MS,
  tokenIdleMs: tokenIdle * DAY_MS,
});

/** Where nobody set a public address, links lead to this machine, as far as its address is known. */
export function sendingPolicyOf(settings: Settings): SendingPolicy {
  const { publicUrl, host, port, oldNews, mailLimit: toOthersPerDay } = settings;
  const known = publicUrl || (port === 0 ? '' : addressOf(host, { port }));
  const canAsk = known !== '' && channelsSetUp(settings).email!;
  return { publicUrl: known, oldNewsMs: oldNews * 1000, mail: { canAsk, toOthersPerDay } };
}

export function mailDeskOf(settings: Settings, { publicUrl }: SendingPolicy): Omit<MailDesk, 'wake' | 'seal'> {
  const noAddress = publicUrl === '' ? 'Links have nowhere to lead: set TRACKWAY_PUBLIC_URL.' : undefined;
  return { missing: setupOf(settings).email.missing ?? noAddress, publicUrl };
}

export function addressOf(host: string, { port }: Pick<AddressInfo, 'port'>): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** Addresses of positions, where the operator has a geocoder. */
export function geocoderOf(settings: Settings, egress: Egress, log: Log) {
  const { geocoderUrl: url, geocoderKind: kind, geocoderRate: perSecond, geocoderCredit: attribution } = settings;
  if (url === '') return undefined;
  return createGeocoder({ url, kind, perSecond, attribution, egress, log, agent: `Trackway/${VERSION}` });
}
