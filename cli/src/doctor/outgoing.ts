import type { Settings } from '@trackway/server/app/settings.ts';
import { setupOf } from '@trackway/server/edge/channels/channels.ts';
import type { ChannelSetup } from '@trackway/server/edge/channels/definition.ts';
import { isWithin, parseAddress, parseRanges } from '@trackway/server/platform/egress/ip.ts';
import { type Finding, ok, warn } from './finding.ts';

/** Checks which channels are configured, and which targets they can reach. Nothing is sent. */
export function checkOutgoing(settings: Settings, environment = process.env): Finding[] {
  return [...Object.values(setupOf(settings, environment)).flatMap(findingOf), ...checkTargets(settings)];
}

/** A channel without any settings is unused; one with only some of them is a mistake. */
function findingOf({ missing, isBegun, about, warning }: ChannelSetup): Finding[] {
  if (missing !== null) return [isBegun ? warn(missing) : ok(missing)];
  if (warning !== undefined) return [warn(warning)];
  return about === undefined ? [] : [ok(about)];
}

/** Cloud metadata services, which return credentials, and loopback, where local-only services listen. */
const SENSITIVE = ['169.254.169.254', '127.0.0.1', '::1', 'fd00:ec2::254'];

function checkTargets({ allowTargets }: Settings): Finding[] {
  const { ranges } = parseRanges(allowTargets);
  if (ranges.length === 0) return [ok('Webhooks can reach public addresses only.')];
  const sensitive = SENSITIVE.filter((address) => ranges.some((range) => isWithin(parseAddress(address)!, range)));
  if (sensitive.length === 0) return [ok(`Webhooks can reach public addresses and ${allowTargets}.`)];
  return [
    warn(
      `TRACKWAY_ALLOW_TARGETS lets every user make this server call ${sensitive.join(' and ')}. Allow only the addresses that webhooks need.`,
    ),
  ];
}
