import { isAscii } from '../frame/cursor.ts';
import { isOn, outputOf } from '../text/cut.ts';
import type { CommandName, EncodedCommand, TrackerCommand, TrackerSession } from '../tracker.ts';

/** Memory key: the model that the device names first in its reports, or `universal`. */
export const DIALECT = 'suntechDialect';
export const UNIVERSAL = 'universal';

/** Before the first report, the length of the identifier decides: 6 digits SA200, 9 ST300, 10 universal. */
function dialectOf({ memory, identity }: TrackerSession): string | undefined {
  const reported = memory[DIALECT];
  if (typeof reported === 'string') return reported;
  return new Map([
    [6, 'SA200'],
    [9, 'ST300'],
    [10, UNIVERSAL],
  ]).get(identity?.length ?? 0);
}

export function encode(command: TrackerCommand, session: TrackerSession): EncodedCommand | undefined {
  const dialect = dialectOf(session);
  if (dialect === undefined || session.identity === undefined) return undefined;
  const isUniversal = dialect === UNIVERSAL;
  const content = 'text' in command ? command.text : contentFor(command.name, command.parameters, isUniversal);
  if (!content || !isAscii(content)) return undefined;
  const line = isUniversal ? `CMD;${session.identity};${content}` : `${dialect}CMD;${session.identity};02;${content}`;
  return { bytes: Buffer.from(`${line}\r`, 'latin1') };
}

/** On and off, for outputs 1 to 3. */
const UNIVERSAL_OUTPUTS = [
  ['04;01', '04;02'],
  ['04;03', '04;04'],
  ['04;09', '04;10'],
] as const;

function contentFor(
  name: CommandName,
  parameters: Readonly<Record<string, string | number | boolean>>,
  isUniversal: boolean,
): string | undefined {
  const switched = (number: number, isSet: boolean) =>
    isUniversal
      ? UNIVERSAL_OUTPUTS[number - 1]?.[isSet ? 0 : 1]
      : number === 1 || number === 2
        ? `${isSet ? 'Enable' : 'Disable'}${number}`
        : undefined;
  switch (name) {
    case 'position':
      return isUniversal ? '03;01' : 'StatusReq';
    case 'reboot':
      return isUniversal ? '03;03' : 'Reboot';
    case 'engineStop':
      return switched(1, true);
    case 'engineResume':
      return switched(1, false);
    case 'output':
      return switched(outputOf(parameters, UNIVERSAL_OUTPUTS.length) ?? 0, isOn(parameters));
    default:
      return undefined;
  }
}
