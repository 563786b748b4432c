import { didYouMean } from '@trackway/contract/nearest.ts';
import type { Operation, Version } from '@trackway/contract/operation.ts';
import { OPERATIONS, type OperationName } from '@trackway/contract/operations.ts';
import { type Command, type Given, UsageError } from '../command.ts';
import { ask, connectionFlags } from '../connection.ts';
import { columns } from '../help.ts';
import { describeOperation } from './describe-operation.ts';
import { readInput } from './read-input.ts';

export const command: Command = {
  describe(words) {
    const name = words.find(isOperation);
    if (name !== undefined) return describeOperation(name, OPERATIONS[name], connectionFlags);
    const [first] = words;
    if (first !== undefined && !first.startsWith('-')) {
      throw new UsageError(`Unknown operation "${first}".${didYouMean(first, Object.keys(OPERATIONS))}`);
    }
    return {
      about: 'Call an API operation by name and print the response as JSON.',
      args: ['operation?'],
      flags: { list: { about: 'List all operations.' }, ...connectionFlags },
      more: `Run "trackway call <operation> --help" to see the parameters and body fields of an operation.

Examples:
  trackway call login --body '{"email": "me@example.com", "password": "…"}'
  trackway call listGeofences --id me --filter '{"limit": 1}'
  trackway call createDevice --body @device.json`,
    };
  },

  async run(given) {
    if (given.flags.list === 'true') return printList();
    const name = given.args.find(isOperation);
    if (name === undefined)
      throw new UsageError('Specify an operation. To list all operations, run "trackway call --list".');
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
  const operation: Operation = OPERATIONS[name];
  return ask(given, async (client) => {
    const input = await readInput(operation, given);
    const version = versionOf(operation, given);
    const method = client[name] as (input: object, options: object) => Promise<unknown>;
    return method(input, { version });
  });
}

function versionOf(operation: Operation, { flags }: Given): Version | undefined {
  const asked = flags.api as Version | undefined;
  if (asked === undefined || operation.versions.includes(asked)) return asked;
  throw new UsageError(`--api must be one of ${operation.versions.join(', ')}.`);
}
