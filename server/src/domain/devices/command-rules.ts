import type { TrackerLink } from '../../calls.ts';
import { type IpAddress, isWithin, parseAddress, parseRange } from '../../platform/egress/ip.ts';

/** What decides whether a connection of a device may receive its commands. */
export interface CommandRules {
  readonly commandProtocols: string | null;
  readonly commandsFrom: string | null;
}

/** An item of `commandsFrom` for connections that send the key of the device. */
const KEY = 'key';

export const wayOf = ({ protocol, transport }: TrackerLink) => `${protocol} ${transport}`;

/** Whether an item of `commandsFrom` is a network or the word for the key. */
export const isCommandSource = (text: string) => text === KEY || parseRange(text) !== undefined;

/**
 * Why a connection receives no commands; undefined where it may. An identity is no secret, so a protocol that the
 * device has not used before may be used by an attacker; and the sender of a datagram can be forged, so UDP is not
 * accepted for a device that used TCP.
 */
export function commandRefusal(
  { commandProtocols, commandsFrom }: CommandRules,
  link: TrackerLink,
  hasKey: boolean,
): string | undefined {
  const sources = commandsFrom === null ? [] : (JSON.parse(commandsFrom) as string[]);
  if (sources.length > 0 && !sources.some((source) => (source === KEY ? hasKey : isFrom(source, link.address))))
    return 'Held: the device is connected from a network that is not allowed for its commands.';
  if (hasKey || commandProtocols === null) return undefined;
  const ways = JSON.parse(commandProtocols) as string[];
  if (ways.includes(wayOf(link)) || (link.transport === 'tcp' && ways.includes(`${link.protocol} udp`)))
    return undefined;
  return `Held: the device is connected by ${link.protocol} over ${link.transport.toUpperCase()}, which it has not used before. Release its command channel if this is the device.`;
}

function isFrom(network: string, text: string): boolean {
  const range = parseRange(network);
  const address = parseAddress(text);
  return range !== undefined && address !== undefined && isWithin(asIPv4(address), range);
}

/** IPv4 in the form of IPv6 is IPv4. */
const asIPv4 = (address: IpAddress): IpAddress =>
  address.length === 16 && address.slice(0, 12).join() === '0,0,0,0,0,0,0,0,0,0,255,255' ? address.slice(12) : address;
