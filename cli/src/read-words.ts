import { parseArgs } from 'node:util';
import { type Description, type Flags, type Given, UsageError } from './command.ts';
import { didYouMean } from './nearest.ts';

/** Reads what was typed after a command by the command's description; what does not fit is a sentence. */
export function readWords(typed: readonly string[], { words = [], flags = {} }: Description): Given {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { takes }]) => [name, { type: takes ? 'string' : 'boolean' } as const]),
  );
  // Not strict, so that the sentences about what is wrong are ours.
  const { positionals, tokens } = parseArgs({
    args: [...typed],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given: Record<string, string> = {};
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const [name, value] = flagOf(flags, token);
    if (given[name] !== undefined) throw new UsageError(`--${name} is given twice.`);
    given[name] = value;
  }
  requireWords(words, positionals);
  return { words: positionals, flags: given };
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string;
  readonly inlineValue?: boolean;
}

function flagOf(flags: Flags, { name, rawName, value, inlineValue }: OptionToken): [name: string, value: string] {
  const denied = name.startsWith('no-') ? name.slice(3) : '';
  if (Object.hasOwn(flags, denied) && !flags[denied]!.takes && value === undefined) return [denied, 'false'];
  if (!Object.hasOwn(flags, name)) {
    throw new UsageError(`There is no flag ${rawName}.${didYouMean(name, Object.keys(flags), '--')}`);
  }
  const { takes } = flags[name]!;
  if (!takes) return [name, value ?? 'true'];
  // What looks like the next flag is one; a value that begins with a dash is written --flag=-value.
  if (value === undefined || (!inlineValue && /^-./.test(value))) throw new UsageError(`${rawName} needs ${takes}.`);
  return [name, value];
}

function requireWords(wanted: readonly string[], typed: readonly string[]): void {
  const needed = wanted.filter((word) => !word.endsWith('?'));
  const missing = needed.slice(typed.length);
  if (missing.length > 0) throw new UsageError(`It needs ${missing.map((word) => `<${word}>`).join(' and ')}.`);
  const beyond = typed[wanted.length];
  if (beyond !== undefined) throw new UsageError(`"${beyond}" is one word too many.`);
}
