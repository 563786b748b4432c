import { ApiError } from '@trackway/client/api-error.ts';
import { createClient } from '@trackway/client/client.ts';
import type { Operation, Version } from '@trackway/contract/operation.ts';
import { OPERATIONS, type OperationName } from '@trackway/contract/operations.ts';
import { type Command, Failure, type Flags, type Given, UsageError } from '../command.ts';
import { columns } from '../help.ts';
import { didYouMean } from '../nearest.ts';
import { describeOperation } from './describe-operation.ts';
import { readInput } from './read-input.ts';

const DEFAULT_URL = 'http://127.0.0.1:8080';

const connection: Flags = {
  token: { about: 'Of a log-in, or a personal one. TRACKWAY_TOKEN', takes: 'TOKEN' },
  url: { about: `Where the server is. TRACKWAY_URL [${DEFAULT_URL}]`, takes: 'URL' },
};

export const command: Command = {
  describe(words) {
    const name = words.find(isOperation);
    if (name !== undefined) return describeOperation(name, OPERATIONS[name], connection);
    const [first] = words;
    if (first !== undefined && !first.startsWith('-')) {
      throw new UsageError(`There is no operation ${first}.${didYouMean(first, Object.keys(OPERATIONS))}`);
    }
    return {
      about: 'Calls an operation of the API by its name and prints the answer as JSON.',
      words: ['operation?'],
      flags: { list: { about: 'List the operations.' }, ...connection },
      more: `"trackway call <operation> --help" shows its parameters and the fields of its body.

  trackway call login --body '{"email": "me@example.com", "password": "…"}'
  trackway call listGeofences --id me --filter '{"limit": 1}'
  trackway call createDevice --body @device.json`,
    };
  },

  async run(given) {
    if (given.flags.list === 'true') return printList();
    const name = given.words.find(isOperation);
    if (name === undefined) throw new UsageError('It needs the name of an operation; "trackway call --list" has all.');
    const answer = await call(name, given);
    if (answer !== undefined) console.log(JSON.stringify(answer, null, 2));
    return 0;
  },
};

const isOperation = (word: string): word is OperationName => Object.hasOwn(OPERATIONS, word);

function printList(): number {
  console.log(columns(Object.entries(OPERATIONS).map(([name, { summary }]) => [name, summary])));
  return 0;
}

async function call(name: OperationName, given: Given): Promise<unknown> {
  const url = given.flags.url ?? (process.env.TRACKWAY_URL || DEFAULT_URL);
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new UsageError(`The address of the server must be like ${DEFAULT_URL}, not ${JSON.stringify(url)}.`);
  const token = given.flags.token ?? process.env.TRACKWAY_TOKEN;
  const operation: Operation = OPERATIONS[name];
  const input = await readInput(operation, given);
  const version = versionOf(operation, given);
  const method = createClient({ url, token })[name] as (input: object, options: object) => Promise<unknown>;
  try {
    return await method(input, { version });
  } catch (error) {
    if (error instanceof ApiError) throw new Failure(refused(error, operation, token), { cause: error });
    throw new Failure(`No Trackway answers at ${url}: ${unreached(error as Error)}.`, { cause: error });
  }
}

function versionOf(operation: Operation, { flags }: Given): Version | undefined {
  const asked = flags.api as Version | undefined;
  if (asked === undefined || operation.versions.includes(asked)) return asked;
  throw new UsageError(`--api must be one of ${operation.versions.join(', ')}.`);
}

function refused(
  { status, code, message, details }: ApiError,
  operation: Operation,
  token: string | undefined,
): string {
  const lines = [`${status}${code ? ` ${code}` : ''}: ${message}`];
  if (details !== undefined) lines.push(JSON.stringify(details, null, 2));
  if (status === 401 && !token && operation.access !== 'anyone')
    lines.push('Give a token with --token or TRACKWAY_TOKEN; "trackway call login" gets one.');
  return lines.join('\n');
}

/** `fetch` wraps what happened. */
function unreached(error: Error): string {
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' ? 'nothing listens there' : message || code || error.message;
}
