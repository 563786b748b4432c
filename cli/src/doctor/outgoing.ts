import { setupOf } from '@trackway/server/edge/channels/channels.ts';
import type { ChannelSetup } from '@trackway/server/edge/channels/definition.ts';
import { isWithin, parseAddress, parseRanges } from '@trackway/server/platform/egress/ip.ts';
import type { Settings } from '@trackway/server/settings.ts';
import { type Finding, ok, warn } from './finding.ts';

/** Which channels are set up, and how far they reach. Nothing is sent. */
export function checkOutgoing(settings: Settings, environment = process.env): Finding[] {
  return [...Object.values(setupOf(settings, environment)).flatMap(findingOf), ...checkTargets(settings)];
}

/** A channel without any settings is the operator's choice; one with half of them is a mistake. */
function findingOf({ missing, isBegun, about, warning }: ChannelSetup): Finding[] {
  if (missing !== null) return [isBegun ? warn(missing) : ok(missing)];
  if (warning !== undefined) return [warn(warning)];
  return about === undefined ? [] : [ok(about)];
}

/** From these a cloud gives credentials to whoever asks from within, and a machine what is meant for itself alone. */
const DELICATE = ['169.254.169.254', '127.0.0.1', '::1', 'fd00:ec2::254'];

function checkTargets({ allowTargets }: Settings): Finding[] {
  const { ranges } = parseRanges(allowTargets);
  if (ranges.length === 0) return [ok('Webhooks reach public addresses only.')];
  const delicate = DELICATE.filter((address) => ranges.some((range) => isWithin(parseAddress(address)!, range)));
  if (delicate.length === 0) return [ok(`Webhooks reach public addresses and ${allowTargets}.`)];
  return [
    warn(
      `TRACKWAY_ALLOW_TARGETS lets every user have ${delicate.join(' and ')} called by this server: allow only what webhooks need.`,
    ),
  ];
}
