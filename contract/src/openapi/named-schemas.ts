/**
 * Collects schemas with a title under their own names, so that generators create one type for each: `plan summary
 * entry` becomes `PlanSummaryEntry`. A name must not depend on the order of the schemas: two different schemas with the
 * same title are an error.
 */

type Json = Record<string, unknown>;

/** Keywords that describe a field rather than its model. */
const OF_THE_FIELD = ['description', 'readOnly', 'default', 'deprecated'];

export class NamedSchemas {
  readonly #schemas = new Map<string, Json>();

  all(): Json {
    return Object.fromEntries([...this.#schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** Converts a schema for a document: named schemas become references. */
  named(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((one) => this.named(one));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { title, 'x-same-as': same, 'x-document': instead, ...rest } = schema as Json;
    const said = Object.fromEntries(OF_THE_FIELD.filter((key) => key in rest).map((key) => [key, rest[key]]));
    // A field that accepts anything may have a schema for its documentation.
    if (instead !== undefined) return this.named({ ...(instead as Json), ...said });
    if (typeof same === 'string') return { $ref: refOf(same), ...said };
    // Some generators ignore that an object of any content may be null, unless null is an alternative of `anyOf`.
    if (rest.patternProperties !== undefined && mayBeNull(rest)) {
      const { description: _, readOnly: __, default: ___, deprecated: ____, ...object } = withoutNull(rest);
      return { anyOf: [this.named({ ...object, ...(title !== undefined && { title }) }), { type: 'null' }], ...said };
    }
    if (typeof title !== 'string') return this.#inner(rest);
    const model = Object.fromEntries(Object.entries(rest).filter(([key]) => !OF_THE_FIELD.includes(key)));
    const $ref = refOf(this.#keep(title, this.#inner(withoutNull(model))));
    return mayBeNull(model) ? { anyOf: [{ $ref }, { type: 'null' }], ...said } : { $ref, ...said };
  }

  #inner(schema: Json): Json {
    return Object.fromEntries(
      Object.entries(typed(schema))
        .filter(([key]) => isPublic(key))
        .map(([key, value]) => [key, this.#keyword(key, value)]),
    );
  }

  #keyword(key: string, value: unknown): unknown {
    if (OPAQUE.has(key)) return value;
    if (!BY_NAME.has(key)) return this.named(value);
    return Object.fromEntries(Object.entries(value as Json).map(([name, schema]) => [name, this.named(schema)]));
  }

  #keep(title: string, schema: Json): string {
    const name = nameOf(title);
    const known = this.#schemas.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two models are called ${name}: ${JSON.stringify(known)} and ${JSON.stringify(schema)}`);
    this.#schemas.set(name, schema);
    return name;
  }
}

export const refOf = (name: string) => `#/components/schemas/${name}`;

export const nameOf = (title: string) =>
  title
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
    // Each document has the models of one version.
    .replace(/V2(?=[A-Z]|$)/, '');

const isPublic = (key: string) => !key.startsWith('x-') && !key.startsWith('~');

/** Keywords that contain values, not schemas. */
const OPAQUE = new Set(['default', 'enum', 'const', 'required', 'example']);

/** Keywords that contain schemas by name. */
const BY_NAME = new Set(['properties']);

interface Nullable {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly { readonly type?: unknown }[];
}

function mayBeNull({ type, enum: members, anyOf }: Nullable): boolean {
  return [type].flat().includes('null') || members?.includes(null) === true || anyOf?.some(isNull) === true;
}

const isNull = ({ type }: { readonly type?: unknown }) => type === 'null';

function withoutNull(schema: Json): Json {
  const { type, enum: members, anyOf } = schema as Nullable;
  const types = [type].flat().filter((one) => one !== 'null');
  return {
    ...schema,
    ...(type !== undefined && { type: types.length === 1 ? types[0] : types }),
    ...(members && { enum: members.filter((one) => one !== null) }),
    ...(anyOf && { anyOf: anyOf.filter((one) => !isNull(one)) }),
  };
}

const MOST_INT32 = 2_147_483_647;

/** A value with any key: most generators do not support key patterns. */
const ANY_KEY = '^.*$';

/**
 * Adds what generators would have to guess: the type of an enum, that an integer has 64 bits, that an object may
 * contain anything. Defaults that are not plain values remain only in the description.
 */
function typed(schema: Json): Json {
  const { patternProperties, default: preset, ...rest } = schema as Json & { patternProperties?: Json };
  return {
    ...typedByValues(rest),
    ...(patternProperties !== undefined && { additionalProperties: orTrue(patternProperties[ANY_KEY]) }),
    ...(typeof preset !== 'object' && preset !== undefined && { default: preset }),
  };
}

const orTrue = (schema: unknown) => (Object.keys(schema as Json).every((key) => !isPublic(key)) ? true : schema);

interface Values {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly maximum?: number;
  readonly 'x-members'?: readonly string[];
}

function typedByValues(schema: Json): Json {
  const { type, enum: members, maximum, 'x-members': words } = schema as Values;
  if (words !== undefined) {
    const { minLength: _, maxLength: __, ...rest } = schema;
    return { ...rest, enum: [type].flat().includes('null') ? [...words, null] : [...words] };
  }
  if (members !== undefined && type === undefined) {
    const types = [...new Set(members.map((one) => (one === null ? 'null' : typeof one)))];
    return { type: types.length === 1 ? types[0] : types, ...schema };
  }
  const isLong = [type].flat().includes('integer') && maximum !== undefined && maximum > MOST_INT32;
  return isLong ? { ...schema, format: 'int64' } : schema;
}

/**
 * The schema of a new resource, with defaults in the descriptions. As a keyword, a default would make generators
 * require the field.
 */
export function withDefaultsDescribed(schema: { readonly properties?: unknown }): unknown {
  const reported = Object.entries((schema.properties ?? {}) as Record<string, Json>).map(([name, field]) => {
    const { default: preset, description = '' } = field;
    const isNotified = preset === undefined || typeof preset === 'object' || /default/i.test(String(description));
    return [name, isNotified ? field : { ...field, description: `${description} Defaults to \`${preset}\`.` }];
  });
  return { ...schema, properties: Object.fromEntries(reported) };
}

/** A schema without defaults. Clients would send them in an update, and change fields unintentionally. */
export function withoutDefaults(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutDefaults);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => key !== 'default')
      .map(([key, value]) => [key, key === 'properties' ? eachWithoutDefaults(value as Json) : withoutDefaults(value)]),
  );
}

const eachWithoutDefaults = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, withoutDefaults(field)]));
