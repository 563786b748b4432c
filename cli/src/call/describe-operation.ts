import { CALLERS, type Operation } from '@trackway/contract/operation.ts';
import { aboutParameter, BASES, isTextual, parametersOf } from '@trackway/contract/operations.ts';
import { isList } from '@trackway/contract/query-values.ts';
import { isReadOnly, isRequired } from '@trackway/contract/schema.ts';
import type { Description, Flags } from '../command.ts';
import { columns } from '../help.ts';

/** The flags and the help of an operation, generated from the contract. */
export function describeOperation(name: string, operation: Operation, flags: Flags): Description {
  const { method, path, versions, summary, description, access } = operation;
  const addresses = versions.map((version) => `${method} ${BASES[version]}${path}`);
  const about = [
    `${name}: ${summary}`,
    ...(description ? [description] : []),
    `Access: ${CALLERS[access]}.`,
    ...addresses,
  ];
  return {
    about: about.join('\n'),
    args: ['operation'],
    usage: ` ${[name, ...parametersOf(operation).map((key) => `--${key} ${placeholderOf(operation, key)}`)].join(' ')}`,
    flags: { ...flagsOf(operation), ...flags },
    more: operation.body ? `Body fields:\n${fieldsOf(operation.body)}` : undefined,
  };
}

const placeholderOf = (operation: Operation, name: string) => (isTextual(operation, name) ? 'TEXT' : 'ID');

function flagsOf(operation: Operation): Flags {
  const flags: Record<string, Flags[string]> = {};
  for (const name of parametersOf(operation)) {
    flags[name] = { about: `${aboutParameter(operation, name)} Required.`, takes: placeholderOf(operation, name) };
  }
  for (const [name, schema] of Object.entries(operation.query ?? {})) {
    const { type, description = '' } = schema as Described;
    const takes = type === 'boolean' ? 'true|false' : isList(schema) ? 'VALUE,…' : 'VALUE';
    flags[name] = { about: isRequired(schema) ? `${description} Required.` : description, takes };
  }
  if (operation.narrowing === 'filter')
    flags.filter = { about: 'JSON object with where, order, limit, skip and fields.', takes: 'JSON' };
  if (operation.narrowing === 'where') flags.where = { about: 'JSON object of conditions on fields.', takes: 'JSON' };
  if (operation.body)
    flags.body = { about: 'JSON, @FILE to read it from a file, or - to read it from standard input.', takes: 'JSON' };
  if (operation.versions.length > 1)
    flags.api = {
      about: `API version to call: ${operation.versions.join(' or ')}. [default: ${operation.versions[0]}]`,
      takes: 'VERSION',
    };
  return flags;
}

interface Described {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Described[];
  readonly description?: string;
  readonly default?: unknown;
}

function fieldsOf({ noun, mode }: NonNullable<Operation['body']>): string {
  const rows = Object.entries(noun.fields)
    .filter(([, schema]) => !isReadOnly(schema))
    .map(([field, schema]): [string, string] => {
      const { description = '', default: defaultValue } = schema as Described;
      const required = mode === 'create' && noun.required.includes(field) ? ' Required.' : '';
      const defaultNote =
        mode === 'create' && defaultValue !== undefined ? ` [default: ${JSON.stringify(defaultValue)}]` : '';
      return [`${field}: ${typeOf(schema as Described)}`, `${description}${required}${defaultNote}`];
    });
  return columns(rows);
}

function typeOf(schema: Described): string {
  if (schema.enum) return schema.enum.join('|');
  if (schema.anyOf) return schema.anyOf.map(typeOf).join('|');
  return schema.format === 'date-time' ? 'time' : (schema.type ?? 'any JSON');
}
