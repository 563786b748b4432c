import { BadSetting } from '../../platform/settings.ts';
import type { TrackerProtocol } from '../protocols/trackers/tracker.ts';
import type { TrackerPort } from './context.ts';

/** A separate port for trackers. */
export interface FixedPort extends TrackerPort {
  readonly number: number;
}

const ANY = 'any';
/** The well-known port of every protocol. */
const TRACCAR = 'traccar';
/** The port where apps report over HTTP. */
const HTTP_PORT = 5055;

/** Parses `gt06:5023,teltonika:5027;relay,any:5011;anychecksum` and `traccar`. */
export function fixedPortsOf(value: string, protocols: readonly TrackerProtocol[]): FixedPort[] {
  const parts = value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const listed = parts.filter((part) => part !== TRACCAR).map((part) => fixedPortOf(part, protocols));
  if (listed.length === parts.length) return listed;
  const wellKnown: FixedPort[] = [
    ...protocols.map((protocol) => ({ protocol, number: protocol.wellKnownPort, isRelay: false })),
    { number: HTTP_PORT, isRelay: false },
  ];
  return [...listed, ...wellKnown.filter(({ number }) => listed.every((one) => one.number !== number))];
}

function fixedPortOf(part: string, protocols: readonly TrackerProtocol[]): FixedPort {
  const [place = '', ...words] = part.split(';').map((word) => word.trim());
  const [, name, digits] = /^(\w+):(\d{1,5})$/.exec(place) ?? [];
  const number = Number(digits);
  const protocol = protocols.find((one) => one.name === name);
  if (name === undefined || number > 65_535)
    throw new BadSetting(
      `must be a list of protocols and ports, such as gt06:5023,teltonika:5027, or ${TRACCAR}, not ${JSON.stringify(part)}`,
    );
  if (protocol === undefined && name !== ANY)
    throw new BadSetting(
      `names no protocol by ${JSON.stringify(name)}: there are ${[...protocols.map((one) => one.name), ANY].join(', ')}`,
    );
  const strange = words.find((word) => word !== 'relay' && word !== 'anychecksum');
  if (strange !== undefined)
    throw new BadSetting(`knows relay and anychecksum behind a port, not ${JSON.stringify(strange)}`);
  return { protocol, number, isRelay: words.includes('relay'), acceptsWrongChecksum: words.includes('anychecksum') };
}
