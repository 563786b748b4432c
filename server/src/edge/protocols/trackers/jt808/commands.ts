import type { CommandName, EncodedCommand, TrackerCommand, TrackerMemory, TrackerSession } from '../tracker.ts';
import { frameWith, type Jt808Address, type Jt808Frame } from './frame.ts';
import { bytesOf } from './gbk.ts';
import { idOf } from './identity.ts';

export const COMMANDS: readonly CommandName[] = ['position', 'reboot', 'interval', 'engineStop', 'engineResume'];

const SET_PARAMETERS = 0x8103;
const CONTROL = 0x8105;
const POSITION = 0x8201;
const TEXT = 0x8300;
const PASS_THROUGH = 0x8900;
const MAX_BODY = 1023;

/** How a device addressed itself, so that it is addressed the same way. */
const ADDRESS = 'address';

export function rememberAddress({ id, version, mark }: Jt808Frame, memory: TrackerMemory): TrackerMemory | undefined {
  const address = `${id}/${version ?? ''}/${mark}`;
  return memory[ADDRESS] === address ? undefined : { [ADDRESS]: address };
}

function addressOf({ memory, identity }: TrackerSession): Jt808Address | undefined {
  const [id, version, mark] = String(memory[ADDRESS] ?? '').split('/');
  if (id) return { id, version: version ? Number(version) : undefined, mark: Number(mark) };
  const guessed = identity === undefined ? undefined : idOf(identity);
  return guessed === undefined ? undefined : { id: guessed };
}

/** The device repeats the serial of the message in its reply. */
export function encode(command: TrackerCommand, session: TrackerSession): EncodedCommand | undefined {
  const address = addressOf(session);
  if (address === undefined) return undefined;
  const message =
    'text' in command ? textMessage(command.text, address, session.model) : namedMessage(command, session.model);
  if (message === undefined || message.body.length > MAX_BODY) return undefined;
  const serial = command.number & 0xffff;
  return { bytes: frameWith(message.type, address, serial, message.body), correlation: String(serial) };
}

interface Message {
  readonly type: number;
  readonly body: Buffer;
}

function textMessage(text: string, { version }: Jt808Address, model = ''): Message | undefined {
  const bytes = bytesOf(text);
  if (bytes === undefined || bytes.length === 0) return undefined;
  if (/^(?:AL300|GL100|VL300)/i.test(model))
    return bytes.length > 255 ? undefined : { type: SET_PARAMETERS, body: parameters([[0xf030, bytes]]) };
  if (/^JC/i.test(model)) return { type: PASS_THROUGH, body: Buffer.concat([Buffer.from([0xf0]), bytes]) };
  // How urgent 1; since 2019 also whether it is a notice 1.
  return { type: TEXT, body: Buffer.concat([Buffer.from(version === undefined ? [1] : [1, 1]), bytes]) };
}

function namedMessage(
  { name, parameters: given }: Extract<TrackerCommand, { name: CommandName }>,
  model = '',
): Message | undefined {
  switch (name) {
    case 'position':
      return { type: POSITION, body: Buffer.alloc(0) };
    case 'reboot':
      return { type: CONTROL, body: Buffer.from([4]) };
    case 'engineStop':
    case 'engineResume':
      return { type: CONTROL, body: engineBody(name === 'engineStop', model) };
    case 'interval':
      return intervalMessage(given.seconds, given.parkedSeconds);
    default:
      return undefined;
  }
}

function engineBody(isStop: boolean, model: string): Buffer {
  if (/^VL300/i.test(model)) return Buffer.from(isStop ? '#0;1' : '#0;0', 'latin1');
  if (/^W15L/i.test(model)) return Buffer.from([isStop ? 0x64 : 0x65]);
  return Buffer.from([isStop ? 0xf0 : 0xf1]);
}

/** Seconds between reports, and while the device sleeps. */
function intervalMessage(seconds: unknown, parkedSeconds: unknown): Message | undefined {
  if (!isSeconds(seconds) || (parkedSeconds !== undefined && !isSeconds(parkedSeconds))) return undefined;
  const values: [number, Buffer][] = [[0x29, longOf(seconds)]];
  if (parkedSeconds !== undefined) values.push([0x27, longOf(parkedSeconds)]);
  return { type: SET_PARAMETERS, body: parameters(values) };
}

const isSeconds = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 86_400;

function longOf(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Count 1, then (identifier 4, length 1, value). */
const parameters = (values: readonly (readonly [id: number, value: Buffer])[]): Buffer =>
  Buffer.concat([
    Buffer.from([values.length]),
    ...values.flatMap(([id, value]) => [longOf(id), Buffer.from([value.length]), value]),
  ]);
