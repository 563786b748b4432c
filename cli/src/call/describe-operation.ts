import type { Access, Operation } from '@trackway/contract/operation.ts';
import { BASES, parametersOf } from '@trackway/contract/operations.ts';
import { isReadOnly } from '@trackway/contract/schema.ts';
import type { Description, Flags } from '../command.ts';
import { columns } from '../help.ts';

/** What the contract says about an operation, as flags and help. */
export function describeOperation(name: string, operation: Operation, flags: Flags): Description {
  const { method, path, versions, summary, description, access } = operation;
  const addresses = versions.map((version) => `${method} ${BASES[version]}${path}`);
  const about = [`${name}: ${summary}`, ...(description ? [description] : []), `For ${CALLERS[access]}.`, ...addresses];
  return {
    about: about.join('\n'),
    words: ['operation'],
    usage: ` ${[name, ...parametersOf(operation).map((key) => `--${key} ID`)].join(' ')}`,
    flags: { ...flagsOf(operation), ...flags },
    more: operation.body ? `Fields of the body:\n${fieldsOf(operation.body)}` : undefined,
  };
}

const CALLERS: Record<Access, string> = {
  anyone: 'anyone, without a token',
  user: 'everyone who is signed in',
  admin: 'admins',
  self: 'the user themselves, and admins',
  view: 'whoever may see the device, and admins',
  manage: 'whoever may manage the device, and admins',
  own: 'the owner of the device, and admins',
};

function flagsOf(operation: Operation): Flags {
  const ofUser = operation.path.startsWith('/users/{');
  const flags: Record<string, Flags[string]> = {};
  for (const [index, name] of parametersOf(operation).entries()) {
    const about = index > 0 ? 'Key of the child.' : ofUser ? 'The user: an id, or me.' : 'Its id.';
    flags[name] = { about: `${about} Needed.`, takes: 'ID' };
  }
  for (const [name, schema] of Object.entries(operation.query ?? {})) {
    const { type, description } = schema as Described;
    flags[name] = { about: description ?? '', takes: type === 'boolean' ? 'true|false' : 'VALUE' };
  }
  if (operation.narrowing === 'filter')
    flags.filter = { about: 'JSON of where, order, limit, skip, fields.', takes: 'JSON' };
  if (operation.narrowing === 'where') flags.where = { about: 'JSON of conditions on fields.', takes: 'JSON' };
  if (operation.body) flags.body = { about: 'JSON, or @FILE that holds it, or - for standard input.', takes: 'JSON' };
  if (operation.versions.length > 1)
    flags.api = { about: `Version to call: ${operation.versions.join(' or ')}.`, takes: 'VERSION' };
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
      const { description = '', default: byDefault } = schema as Described;
      const needed = mode === 'create' && noun.required.includes(field) ? ' Needed.' : '';
      const unset = mode === 'create' && byDefault !== undefined ? ` [${JSON.stringify(byDefault)}]` : '';
      return [`${field}: ${typeOf(schema as Described)}`, `${description}${needed}${unset}`];
    });
  return columns(rows);
}

function typeOf(schema: Described): string {
  if (schema.enum) return schema.enum.join('|');
  if (schema.anyOf) return schema.anyOf.map(typeOf).join('|');
  return schema.format === 'date-time' ? 'time' : (schema.type ?? 'any JSON');
}
