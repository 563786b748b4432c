import type { CommandName, EncodedCommand, TrackerCommand, TrackerSession } from '../tracker.ts';
import { frameWith } from './frame.ts';

const COMMAND = 0x80;
/** So that the length of the frame fits into its byte. */
const MAX_TEXT = 240;

export const COMMANDS: readonly CommandName[] = ['position', 'reboot', 'interval', 'engineStop', 'engineResume'];

/** 80: length 1, number of the command 4, text. The device repeats the number in its reply. */
export function encode(command: TrackerCommand, session: TrackerSession): EncodedCommand | undefined {
  const text = 'text' in command ? command.text : wordsOf(command, session);
  if (text === undefined || text.length === 0 || text.length > MAX_TEXT || !/^[\x20-\x7e]+$/.test(text))
    return undefined;
  const number = command.number >>> 0;
  const content = Buffer.alloc(5 + text.length);
  content[0] = 4 + text.length;
  content.writeUInt32BE(number, 1);
  content.write(text, 5, 'latin1');
  return { bytes: frameWith(COMMAND, number & 0xffff, content), correlation: String(number) };
}

function wordsOf(
  { name, parameters }: Extract<TrackerCommand, { name: CommandName }>,
  { model = '' }: TrackerSession,
): string | undefined {
  const isTr06 = /^TR06/i.test(model);
  const password = String(parameters.password ?? '000000');
  switch (name) {
    case 'position':
      return 'WHERE#';
    case 'reboot':
      return 'RESET#';
    case 'engineStop':
      return isTr06 ? `DYD,${password}#` : 'Relay,1#';
    case 'engineResume':
      return isTr06 ? `HFYD,${password}#` : 'Relay,0#';
    case 'interval':
      return intervalWords(parameters.seconds, parameters.parkedSeconds);
    default:
      return undefined;
  }
}

/** While moving, and while parked. */
function intervalWords(seconds: unknown, parkedSeconds: unknown = seconds): string | undefined {
  const isInterval = (value: unknown) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 18_000;
  return isInterval(seconds) && isInterval(parkedSeconds) ? `TIMER,${seconds},${parkedSeconds}#` : undefined;
}
