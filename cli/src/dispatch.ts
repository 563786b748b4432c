import { type Commands, Failure, UsageError } from './command.ts';
import { commandHelp, groupHelp } from './help.ts';
import { didYouMean } from './nearest.ts';
import { readWords } from './read-words.ts';
import { version } from './version.ts';

/** Finds the command that was typed, helps or runs it, and turns what goes wrong into a sentence and an exit code. */
export async function dispatch(
  name: string,
  about: string,
  commands: Commands,
  typed: readonly string[],
): Promise<number> {
  const [first, ...rest] = typed;
  if (first === undefined) {
    console.error(groupHelp(name, about, commands));
    return 2;
  }
  if (asksFor(first, HELP)) return print(groupHelp(name, about, commands));
  if (asksFor(first, VERSION)) return print(`trackway ${version()}`);
  if (!Object.hasOwn(commands, first)) {
    return complain(`${name} has no command ${first}.${didYouMean(first, Object.keys(commands))}`, name);
  }
  const command = commands[first]!;
  const called = `${name} ${first}`;
  if ('commands' in command) return dispatch(called, command.summary, command.commands, named(rest, command.alone));
  if (rest.some((word) => asksFor(word, VERSION))) return print(`trackway ${version()}`);
  try {
    const { describe, run } = await command.load();
    const description = describe(rest);
    if (rest.some((word) => asksFor(word, HELP))) return print(commandHelp(called, description));
    return await run(readWords(rest, description));
  } catch (error) {
    if (error instanceof UsageError) return complain(error.message, called);
    if (!(error instanceof Failure)) throw error;
    console.error(error.message);
    return 1;
  }
}

function named(words: readonly string[], alone: string | undefined): readonly string[] {
  const [first] = words;
  const isNamed = first !== undefined && (!first.startsWith('-') || asksFor(first, [...HELP, ...VERSION]));
  return isNamed || alone === undefined ? words : [alone, ...words];
}

const HELP = ['--help', '-h'];
const VERSION = ['--version', '-v'];
const asksFor = (word: string, names: readonly string[]) => names.includes(word);

function print(text: string): number {
  console.log(text);
  return 0;
}

function complain(sentence: string, called: string): number {
  console.error(`${sentence}\n"${called} --help" tells how it is used.`);
  return 2;
}
