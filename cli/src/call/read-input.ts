import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Operation } from '@trackway/contract/operation.ts';
import { parametersOf } from '@trackway/contract/operations.ts';
import { isRequired } from '@trackway/contract/schema.ts';
import { type Given, UsageError } from '../command.ts';

/** The input of the client: path and query parameters as given, and filter, where and body parsed as JSON. */
export async function readInput(operation: Operation, { flags }: Given): Promise<Record<string, unknown>> {
  const keys = parametersOf(operation);
  const query = Object.entries(operation.query ?? {});
  const required = query.filter(([, schema]) => isRequired(schema)).map(([name]) => name);
  const missing = [...keys, ...required].filter((name) => !flags[name]);
  if (missing.length > 0)
    throw new UsageError(`Missing required flag: ${missing.map((name) => `--${name}`).join(', ')}.`);
  const input: Record<string, unknown> = {};
  for (const name of [...keys, ...query.map(([name]) => name)]) input[name] = flags[name];
  if (operation.narrowing) input[operation.narrowing] = json(operation.narrowing, flags[operation.narrowing]);
  if (operation.body) input.body = json('body', await bodyText(flags.body));
  return input;
}

async function bodyText(given: string | undefined): Promise<string | undefined> {
  if (given === '-') return text(process.stdin);
  if (!given?.startsWith('@')) return given;
  try {
    return await readFile(given.slice(1), 'utf8');
  } catch (error) {
    throw new UsageError(`Cannot read the file ${given.slice(1)}: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

function json(flag: string, given: string | undefined): unknown {
  if (given === undefined) return undefined;
  try {
    return JSON.parse(given);
  } catch (error) {
    throw new UsageError(`--${flag} is not valid JSON: ${(error as Error).message}.`);
  }
}
