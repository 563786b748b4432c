import type {
  CommandName,
  CommandReply,
  EncodedCommand,
  TrackerCommand,
  TrackerMemory,
  TrackerSession,
} from '../tracker.ts';
import type { QueclinkText } from './fields.ts';
import { modelOf } from './models.ts';

export const COMMANDS: readonly CommandName[] = ['position', 'reboot', 'engineStop', 'engineResume', 'output'];

const MODEL = 'model';

/** The password of a device is its model, unless its owner changed it. */
export function rememberModel({ version }: QueclinkText, memory: TrackerMemory): TrackerMemory | undefined {
  const model = modelOf(version);
  return model === undefined || memory[MODEL] === model ? undefined : { [MODEL]: model };
}

/** `AT+GTRTO=<password>,<what>,…,<serial>$`. The reply repeats word and serial. */
export function encode(command: TrackerCommand, session: TrackerSession): EncodedCommand | undefined {
  const text = 'text' in command ? command.text.trim() : wordsOf(command, session);
  if (text === undefined || !/^AT\+GT[A-Z]{3}=[\x20-\x7e]*\$$/.test(text)) return undefined;
  const [, word, serial] = /^AT\+GT([A-Z]{3})=.*?,?([0-9A-F]{4})?\$$/i.exec(text)!;
  return {
    bytes: Buffer.from(text, 'latin1'),
    ...(serial === undefined ? {} : { correlation: correlationOf(word!, serial) }),
  };
}

const correlationOf = (word: string, serial: string) => `${word}:${serial.toUpperCase()}`;

function wordsOf(
  { name, parameters, number }: Extract<TrackerCommand, { name: CommandName }>,
  { model, memory }: TrackerSession,
): string | undefined {
  const password = parameters.password ?? model ?? memory[MODEL];
  if (password === undefined || !/^[\w-]{1,20}$/.test(String(password))) return undefined;
  const secret = parameters.password === undefined ? String(password).toLowerCase() : String(password);
  const serial = (number & 0xffff).toString(16).toUpperCase().padStart(4, '0');
  const output = (isOn: boolean) => `AT+GTOUT=${secret},${isOn ? 1 : 0},,,0,0,0,0,0,0,0,,,,,,,${serial}$`;
  switch (name) {
    case 'position':
      return `AT+GTRTO=${secret},1,,,,,,${serial}$`;
    case 'reboot':
      return `AT+GTRTO=${secret},3,,,,,,${serial}$`;
    case 'engineStop':
      return output(true);
    case 'engineResume':
      return output(false);
    case 'output':
      // The fields of further outputs differ by model.
      return (parameters.output ?? 1) === 1 && typeof parameters.on === 'boolean' ? output(parameters.on) : undefined;
    default:
      return undefined;
  }
}

/** `+ACK:GTRTO,version,imei,name,[what,]<serial>,time,count$` */
export function commandReplyOf({ word, fields, from, to }: QueclinkText): CommandReply {
  const serial = fields[to - 1] ?? '';
  const isSerial = to > from && /^[0-9A-F]{4}$/i.test(serial);
  const told = fields.slice(from, isSerial ? to - 1 : to).filter((field) => field !== '');
  return {
    text: [`GT${word}`, ...told].join(' '),
    ...(isSerial ? { correlation: correlationOf(word, serial) } : {}),
  };
}
