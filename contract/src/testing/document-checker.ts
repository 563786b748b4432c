import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** Validates requests and responses against an OpenAPI document, like a program that knows only the document. */

type Json = Record<string, unknown>;
interface Described {
  readonly operationId?: string;
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body & { readonly $ref?: string }>>;
}
interface Body {
  readonly content?: Readonly<Record<string, unknown>>;
}

export interface DocumentChecker {
  /** The problem of a request body. Undefined if it is valid. */
  request(operationId: string, body: unknown): string | undefined;
  /** The problem of a response, including an undeclared status. */
  answer(operationId: string, status: number, body: unknown): string | undefined;
  /** The problems of examples next to schemas. */
  examples(): string[];
}

export function documentChecker(document: Json): DocumentChecker {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  addFormats.default(ajv);
  ajv.addSchema({ ...document, $id: 'document' });
  const places = new Map<string, { readonly at: string; readonly operation: Described }>();
  for (const [path, methods] of Object.entries(document.paths as Record<string, Record<string, Described>>)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId)
        places.set(operation.operationId, { at: `/paths/${escaped(path)}/${method}`, operation });
    }
  }
  const wrongWith = (pointer: string, value: unknown) => {
    const validate = ajv.getSchema(`document#${pointer}`);
    if (!validate) return `there is no schema at ${pointer}`;
    return validate(value) ? undefined : reported(validate.errors ?? []);
  };
  const placeOf = (operationId: string) => {
    const place = places.get(operationId);
    if (!place) throw new Error(`the document has no operation ${operationId}`);
    return place;
  };
  return {
    request(operationId, body) {
      const { at, operation } = placeOf(operationId);
      if (operation.requestBody === undefined) return body === undefined ? undefined : 'no body is declared';
      return wrongWith(`${at}/requestBody/content/application~1json/schema`, body);
    },
    answer(operationId, status, body) {
      const { at, operation } = placeOf(operationId);
      const declared = operation.responses[status];
      if (declared === undefined) return `status ${status} is not declared`;
      const [pointer, { content }] = resolved(document, `${at}/responses/${status}`, declared);
      const [media] = Object.keys(content ?? {});
      if (media === undefined) return body === undefined ? undefined : 'no body is declared';
      return wrongWith(`${pointer}/content/${escaped(media)}/schema`, body);
    },
    examples: () =>
      exemplified(document.paths, '/paths').flatMap(([pointer, example]) => {
        const wrong = wrongWith(`${pointer}/schema`, example);
        return wrong === undefined ? [] : [`${pointer}: ${wrong}`];
      }),
  };
}

/** The locations in a document that have a schema and an example, with the examples. */
function exemplified(value: unknown, pointer: string): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [];
  const { schema, example, ...rest } = value as Json;
  const own: [string, unknown][] = schema !== undefined && example !== undefined ? [[pointer, example]] : [];
  return [...own, ...Object.entries(rest).flatMap(([key, inner]) => exemplified(inner, `${pointer}/${escaped(key)}`))];
}

/** A response may be a reference to one of the components. */
function resolved(document: Json, pointer: string, body: Body & { $ref?: string }): [string, Body] {
  if (body.$ref === undefined) return [pointer, body];
  const { responses } = document.components as { responses: Record<string, Body> };
  return [body.$ref.slice(1), responses[body.$ref.split('/').at(-1)!]!];
}

const escaped = (text: string) => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));

const reported = (errors: readonly ErrorObject[]) =>
  errors.map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`).join('; ');
