import type { Command } from '@trackway/contract/resources/message.ts';
import { invalidField } from '../../refusals.ts';
import type { Store } from '../schema/tables.ts';

const LIFE_MS = 10 * 60_000;
const MAX_SECONDS = 30 * 86_400;

type Parameters = Readonly<Record<string, string | number | boolean>>;

interface NamedCommand {
  readonly name: Command;
  readonly parameters: Parameters;
  readonly force: boolean;
  readonly expires: number;
  /** As people read it. */
  readonly text: string;
}

interface SentCommand {
  readonly command?: Command | null;
  readonly parameters?: Readonly<Record<string, unknown>> | null;
  readonly force?: boolean | null;
  readonly expires?: string | null;
}

/** A command as it was sent, with parameters that can be right. */
export function commandOf({ command, parameters, force, expires }: SentCommand, now: number): NamedCommand {
  const name = command!;
  const given = parametersOf(name, parameters ?? {});
  const until = expires === null || expires === undefined ? now + LIFE_MS : Date.parse(expires);
  if (until <= now) throw invalidField('command', 'expires', 'past', 'is over already');
  const words = Object.entries(given).map(([key, value]) => `${key}=${value}`);
  return {
    name,
    parameters: { ...scalarsOf(parameters ?? {}), ...given },
    force: force === true,
    expires: until,
    text: [name, ...words].join(' '),
  };
}

function parametersOf(name: Command, { seconds, output, on }: Readonly<Record<string, unknown>>): Parameters {
  switch (name) {
    case 'interval':
      return { seconds: whole('seconds', seconds, MAX_SECONDS) };
    case 'output':
      return { output: output === undefined ? 1 : whole('output', output, 255), on: truth(on) };
    case 'alarmArm':
      return { on: on === undefined ? true : truth(on) };
    default:
      return {};
  }
}

const MAX_TEXT = 100;
const MOST_PARAMETERS = 20;

/** Some protocols want more, such as a password. */
function scalarsOf(parameters: Readonly<Record<string, unknown>>): Parameters {
  const scalars = Object.entries(parameters).filter(
    (entry): entry is [string, string | number | boolean] =>
      typeof entry[1] === 'number' ||
      typeof entry[1] === 'boolean' ||
      (typeof entry[1] === 'string' && entry[1].length <= MAX_TEXT),
  );
  return Object.fromEntries(scalars.slice(0, MOST_PARAMETERS));
}

function whole(name: string, value: unknown, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw invalidField('command', 'parameters', 'range', `need ${name}, a whole number from 1 to ${max}`);
}

function truth(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw invalidField('command', 'parameters', 'type', 'need on, true or false');
}

/** Undefined where the device has not spoken a protocol of trackers. */
export async function supportedBy(store: Store, deviceId: number): Promise<readonly string[] | undefined> {
  const row = await store.query
    .selectFrom('devices')
    .select('supportedCommands')
    .where('id', '=', deviceId)
    .executeTakeFirst();
  return row?.supportedCommands ? (JSON.parse(row.supportedCommands) as string[]) : undefined;
}
