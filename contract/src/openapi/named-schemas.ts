/**
 * Collects the schemas that have a title under names of their own, so that generators make one type for one thing:
 * `plan summary entry` is `PlanSummaryEntry`. A name never depends on the order in which schemas are met: two different
 * schemas of one title are a mistake.
 */

type Json = Record<string, unknown>;

/** What is said of a field rather than of the model that it holds. */
const OF_THE_FIELD = ['description', 'readOnly', 'default', 'deprecated'];

export class NamedSchemas {
  readonly #schemas = new Map<string, Json>();

  all(): Json {
    return Object.fromEntries([...this.#schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** The schema for a document, in which each named one is a reference. */
  named(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((one) => this.named(one));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { title, 'x-same-as': same, 'x-document': instead, ...rest } = schema as Json;
    const said = Object.fromEntries(OF_THE_FIELD.filter((key) => key in rest).map((key) => [key, rest[key]]));
    // What is taken as it comes may have a shape for those who write it.
    if (instead !== undefined) return this.named({ ...(instead as Json), ...said });
    if (typeof same === 'string') return { $ref: refOf(same), ...said };
    // Some generators forget that an object of any content may be null, unless that is a choice.
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

const refOf = (name: string) => `#/components/schemas/${name}`;

const nameOf = (title: string) =>
  title
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const isPublic = (key: string) => !key.startsWith('x-') && !key.startsWith('~');

/** Keywords that hold values, not schemas. */
const OPAQUE = new Set(['default', 'enum', 'const', 'required', 'example']);

/** Keywords that hold schemas by name. */
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

/** A value of any key: most generators know no patterns of keys. */
const ANY_KEY = '^.*$';

/**
 * Says what generators would have to guess: the type of a choice, that an integer is a long one, that an object may hold
 * anything. A default that is no plain value is left to the description.
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
 * The schema of something new, in which the descriptions tell the defaults. As a keyword, a default would make generators
 * demand the field.
 */
export function withDefaultsTold(schema: { readonly properties?: unknown }): unknown {
  const told = Object.entries((schema.properties ?? {}) as Record<string, Json>).map(([name, field]) => {
    const { default: preset, description = '' } = field;
    const isTold = preset === undefined || typeof preset === 'object' || /default/i.test(String(description));
    return [name, isTold ? field : { ...field, description: `${description} Defaults to \`${preset}\`.` }];
  });
  return { ...schema, properties: Object.fromEntries(told) };
}

/**
 * A schema without defaults. In an update, clients would send them, and change what they did not mean.
 */
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
