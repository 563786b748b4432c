import { didYouMean } from '@trackway/contract/nearest.ts';
import { type Commands, Failure, UsageError } from './command.ts';
import { commandHelp, groupHelp } from './help.ts';
import { parseArguments } from './parse-arguments.ts';
import { version } from './version.ts';

/** Finds the command, shows its help or runs it, and converts errors to a message and an exit code. */
export async function dispatch(
  name: string,
  about: string,
  commands: Commands,
  args: readonly string[],
): Promise<number> {
  const [first, ...rest] = args;
  if (first === undefined) {
    console.error(groupHelp(name, about, commands));
    return 2;
  }
  if (asksFor(first, HELP)) return print(groupHelp(name, about, commands));
  if (asksFor(first, VERSION)) return print(`trackway ${version()}`);
  if (!Object.hasOwn(commands, first)) {
    return complain(`Unknown command "${first}".${didYouMean(first, Object.keys(commands))}`, name);
  }
  const command = commands[first]!;
  const called = `${name} ${first}`;
  if ('commands' in command)
    return dispatch(called, command.summary, command.commands, withDefault(rest, command.defaultCommand));
  if (rest.some((word) => asksFor(word, VERSION))) return print(`trackway ${version()}`);
  try {
    const { describe, run } = await command.load();
    const description = describe(rest);
    if (rest.some((word) => asksFor(word, HELP))) return print(commandHelp(called, description));
    return await run(parseArguments(rest, description));
  } catch (error) {
    if (error instanceof UsageError) return complain(error.message, called);
    if (!(error instanceof Failure)) throw error;
    console.error(error.message);
    return 1;
  }
}

/** Inserts the default command if none is named. */
function withDefault(args: readonly string[], defaultCommand: string | undefined): readonly string[] {
  const [first] = args;
  const isNamed = first !== undefined && (!first.startsWith('-') || asksFor(first, [...HELP, ...VERSION]));
  return isNamed || defaultCommand === undefined ? args : [defaultCommand, ...args];
}

const HELP = ['--help', '-h'];
const VERSION = ['--version', '-v'];
const asksFor = (word: string, names: readonly string[]) => names.includes(word);

function print(text: string): number {
  console.log(text);
  return 0;
}

function complain(message: string, called: string): number {
  console.error(`${message}\nRun "${called} --help" for usage.`);
  return 2;
}
