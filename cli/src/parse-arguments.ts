import { parseArgs } from 'node:util';
import { didYouMean } from '@trackway/contract/nearest.ts';
import { type Description, type Flags, type Given, UsageError } from './command.ts';

/** Parses the arguments of a command by its description. Invalid arguments are a `UsageError`. */
export function parseArguments(raw: readonly string[], { args = [], flags = {} }: Description): Given {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { takes }]) => [name, { type: takes ? 'string' : 'boolean' } as const]),
  );
  // Not strict, so that the error messages are our own.
  const { positionals, tokens } = parseArgs({
    args: [...raw],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given: Record<string, string> = {};
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const [name, value] = flagOf(flags, token);
    if (given[name] !== undefined) throw new UsageError(`--${name} was given more than once.`);
    given[name] = value;
  }
  requireArguments(args, positionals);
  return { args: positionals, flags: given };
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string;
  readonly inlineValue?: boolean;
}

function flagOf(flags: Flags, { name, rawName, value, inlineValue }: OptionToken): [name: string, value: string] {
  const negated = name.startsWith('no-') ? name.slice(3) : '';
  if (Object.hasOwn(flags, negated) && !flags[negated]!.takes && value === undefined) return [negated, 'false'];
  if (!Object.hasOwn(flags, name)) {
    throw new UsageError(`Unknown flag ${rawName}.${didYouMean(name, Object.keys(flags), '--')}`);
  }
  const { takes } = flags[name]!;
  if (!takes) return [name, value ?? 'true'];
  // A value that starts with a dash would be ambiguous, so it must be written as --flag=-value.
  if (value === undefined || (!inlineValue && /^-./.test(value)))
    throw new UsageError(`${rawName} requires a value: ${takes}.`);
  return [name, value];
}

function requireArguments(names: readonly string[], given: readonly string[]): void {
  const required = names.filter((name) => !name.endsWith('?'));
  const missing = required.slice(given.length);
  if (missing.length > 0) throw new UsageError(`Missing argument: ${missing.map((name) => `<${name}>`).join(', ')}.`);
  const unexpected = given[names.length];
  if (unexpected !== undefined) throw new UsageError(`Unexpected argument "${unexpected}".`);
}
