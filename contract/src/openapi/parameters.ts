import type { TSchema } from 'typebox';
import { exampleOfNarrowing, exampleOfParameter, exampleOfQuery } from '../examples/examples.ts';
import { isKeyed, type Operation, type Version } from '../operation.ts';
import { aboutParameter, isTextual, OPERATIONS, parametersOf } from '../operations.ts';
import { isList } from '../query-values.ts';
import { readOf } from '../reads.ts';
import { asSent, isDateRange, isRequired, MAX_ID } from '../schema.ts';
import type { NamedSchemas } from './named-schemas.ts';

/** The parameters of an operation: in its path, its query and its headers. */

type Json = Record<string, unknown>;

export const parameters = (operation: Operation, version: Version, schemas: NamedSchemas): Json[] => [
  ...inPath(operation),
  ...inQuery(operation, schemas),
  ...inHeaders(operation, version),
];

const ID = { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_ID };

function inPath(operation: Operation): Json[] {
  return parametersOf(operation).map((name) => {
    const isText = operation.path.startsWith(`/users/{${name}}`) || isTextual(operation, name);
    return {
      name,
      in: 'path',
      required: true,
      description: aboutParameter(operation, name),
      schema: isText ? { type: 'string', minLength: 1 } : ID,
      example: exampleOfParameter(operation, name),
    };
  });
}

function inQuery(operation: Operation, schemas: NamedSchemas): Json[] {
  const declared = Object.entries(operation.query ?? {}).map(([name, schema]) => {
    // An empty value counts as absent.
    const wanted =
      isRequired(schema) && (schema as { type?: string }).type === 'string' ? { minLength: 1, ...schema } : schema;
    const { description, deprecated, ...shape } = schemas.named(asSent(wanted as TSchema)) as Json;
    return {
      name,
      in: 'query',
      required: isRequired(schema),
      description,
      ...(deprecated === true && { deprecated }),
      ...shapedAs(schema, shape, exampleOfQuery(name, schema)),
    };
  });
  if (operation.narrowing === undefined) return declared;
  const description =
    operation.narrowing === 'filter'
      ? 'JSON object with `where`, `order`, `limit`, `skip`, `after` and `fields`.'
      : 'JSON object of conditions on fields.';
  return [
    ...declared,
    {
      name: operation.narrowing,
      in: 'query',
      required: false,
      description,
      schema: { type: 'string', contentMediaType: 'application/json' },
      example: JSON.stringify(exampleOfNarrowing(operation)),
    },
  ];
}

/** A list may be repeated; time ranges, objects and arbitrary values are JSON. */
function shapedAs(schema: TSchema, shape: Json, example: unknown): Json {
  const { type } = schema as { type?: string };
  if (isDateRange(schema) || isAnything(shape) || type === 'object')
    return { content: { 'application/json': { schema: shape, example } } };
  return { ...(isList(schema) && { style: 'form', explode: true }), schema: shape, example };
}

const isAnything = ({ type, $ref, anyOf }: Json) => type === undefined && $ref === undefined && anyOf === undefined;

const header = (name: string, description: string, schema: Json, example: unknown) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', ...schema },
  example,
});

function inHeaders(operation: Operation, version: Version): Json[] {
  const sent: Json[] = [];
  if (operation.paging)
    sent.push(
      header(
        'X-Query',
        'JSON object of the query parameters. Its values override the query.',
        { contentMediaType: 'application/json', maxLength: 16_384 },
        '{"_limit":10}',
      ),
    );
  if (isKeyed(operation))
    sent.push(
      header(
        'Idempotency-Key',
        'A text of your choice, new for each intended change. Within 24 hours, a repetition with the same key and body gets the first response again, with `Idempotency-Replayed: true`, and changes nothing.',
        { minLength: 1, maxLength: 255, pattern: '^[!-~]([ -~]*[!-~])?$' },
        crypto.randomUUID(),
      ),
    );
  if (readOf(OPERATIONS, operation, version) !== undefined)
    sent.push(
      header(
        'If-Match',
        'The `ETag` of the version that was read. If the resource has changed since then, the response is 412 and nothing is changed. `*`: any version.',
        {},
        '*',
      ),
    );
  return sent;
}
