import fc, { type Arbitrary } from 'fast-check';
import { arbitraryOf } from './arbitrary.ts';

/** Requests of an operation, made from what the document says of it. */

type Json = Record<string, unknown>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema?: Json;
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
  readonly example?: unknown;
}

export interface Described {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

export interface Request {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

type Method = 'get' | 'put' | 'post' | 'patch' | 'delete';

/** The operations of a document that end with an answer. */
export function operationsIn(document: Json): Described[] {
  const paths = document.paths as Record<string, Record<Method, Omit<Described, 'method' | 'path'>>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ ...described, method: method.toUpperCase(), path })),
  );
}

/** @param known values of path parameters that exist, by the collection before them */
export function requestsOf(
  document: Json,
  operation: Described,
  known: (collection: string) => readonly (string | number)[],
): Arbitrary<Request> {
  const inPlace = (place: Parameter['in']) => operation.parameters.filter((one) => one.in === place);
  const path = fc.record(
    Object.fromEntries(
      inPlace('path').map((parameter) => {
        const [, collection = ''] = new RegExp(`(\\w+)/\\{${parameter.name}\\}`).exec(operation.path) ?? [];
        const existing = known(collection);
        const any = valueFor(document, parameter);
        return [
          parameter.name,
          existing.length === 0
            ? any
            : fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...existing) }, { weight: 1, arbitrary: any }),
        ];
      }),
    ),
  );
  const query = given(document, inPlace('query'));
  const headers = given(document, inPlace('header'));
  const schema = operation.requestBody?.content['application/json']?.schema;
  const body = schema === undefined ? fc.constant(undefined) : arbitraryOf(document, schema);
  return fc.record({ path, query, headers, body }).map((made) => ({
    path: addressOf(operation.path, made.path, made.query),
    headers: Object.fromEntries(
      Object.entries(made.headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
    body: made.body,
  }));
}

function given(document: Json, parameters: readonly Parameter[]): Arbitrary<Record<string, unknown>> {
  return fc.record(Object.fromEntries(parameters.map((one) => [one.name, valueFor(document, one)])), {
    requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name),
  });
}

/** What is JSON inside a text is said in words: the document's own example stands for it. */
function valueFor(document: Json, { name, schema, content, example }: Parameter): Arbitrary<unknown> {
  const json = content?.['application/json']?.schema;
  if (json !== undefined) return arbitraryOf(document, json).map((value) => JSON.stringify(value));
  if (schema?.contentMediaType === 'application/json') return fc.constantFrom(example, '{}');
  // Each is to be new.
  if (name === 'Idempotency-Key') return fc.uuid();
  if (name === 'If-Match') return fc.constantFrom('*', example);
  return arbitraryOf(document, schema ?? {});
}

function addressOf(path: string, names: Record<string, unknown>, query: Record<string, unknown>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(names[name])));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => [name, String(one)]),
  );
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs as [string, string][])}`;
}
