import type { Version } from '@trackway/contract/operation.ts';

/** Describes schemas of the OpenAPI documents as Markdown, for the pages and the files in docs/api. */

export type Schema = Readonly<Record<string, unknown>>;

/** A field of an object, or a parameter. */
export interface DescribedField {
  /** Including the names of the enclosing objects: `center.lat`, `points[].accuracy`. */
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** Its meaning and allowed values. */
  readonly about: string;
}

/** Finds named schemas, and creates references to them. */
interface Named {
  schemaOf(name: string): Schema;
  /** Markdown for a named schema that is described elsewhere. */
  refer(name: string): string;
}

/** A larger limit is only that of the number type. */
const LARGE = 2 ** 31 - 1;
const MAX_DEPTH = 3;

const nameIn = (schema: Schema): string | undefined =>
  typeof schema.$ref === 'string' ? schema.$ref.replace('#/components/schemas/', '') : undefined;

const isNull = (schema: Schema) => schema.type === 'null';
const alternativesOf = (schema: Schema) => (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined;

/** The schema without null and with its outermost reference resolved. */
export function opened(schema: Schema, named: Named): Schema {
  const name = nameIn(schema);
  if (name !== undefined)
    return { ...named.schemaOf(name), ...(schema.description ? { description: schema.description } : {}) };
  const remaining = alternativesOf(schema)?.filter((one) => !isNull(one));
  if (remaining?.length !== 1) return schema;
  const { anyOf: _, oneOf: __, ...about } = schema;
  return { ...opened(remaining[0]!, named), ...about };
}

/** The type in words: `integer or null`, `list of [Device](#Device)`. */
export function typeOf(schema: Schema, named: Named): string {
  const name = nameIn(schema);
  if (name !== undefined) return named.refer(name);
  const alternatives = alternativesOf(schema);
  if (alternatives) return [...new Set(alternatives.map((one) => typeOf(one, named)))].join(' or ');
  const types = [schema.type].flat().filter((type): type is string => typeof type === 'string');
  if (types.length === 0) return schema.enum ? 'string' : 'any JSON';
  return types.map((type) => oneType(type, schema, named)).join(' or ');
}

function oneType(type: string, schema: Schema, named: Named): string {
  if (type === 'array') return `list of ${typeOf((schema.items as Schema | undefined) ?? {}, named)}`;
  if (type !== 'string') return type;
  if (schema.format === 'date-time') return 'time';
  return schema.contentMediaType === 'application/json' ? 'JSON' : 'string';
}

/** The fields of an object, including the fields of inner objects that have no name. */
export function fieldsOf(schema: Schema, named: Named, before = '', depth = 0): DescribedField[] {
  const { properties = {}, required = [] } = opened(schema, named) as {
    properties?: Record<string, Schema>;
    required?: readonly string[];
  };
  return Object.entries(properties).flatMap(([name, field]) => {
    const own: DescribedField = {
      name: before + name,
      type: typeOf(field, named),
      isRequired: required.includes(name),
      about: aboutField(field),
    };
    const inner = innerOf(field);
    if (inner === undefined || depth + 1 >= MAX_DEPTH) return [own];
    return [own, ...fieldsOf(inner.schema, named, `${before}${name}${inner.sign}.`, depth + 1)];
  });
}

/** The object inside a field, if it has fields and no name. */
function innerOf(field: Schema): { schema: Schema; sign: '' | '[]' } | undefined {
  const remaining = alternativesOf(field)?.filter((one) => !isNull(one));
  if (remaining?.length === 1) return innerOf(remaining[0]!);
  if (field.properties) return { schema: field, sign: '' };
  const items = field.items as Schema | undefined;
  return items?.properties ? { schema: items, sign: '[]' } : undefined;
}

export function aboutField(schema: Schema): string {
  return [schema.description, choices(schema), limits(schema), standard(schema)]
    .filter((part) => typeof part === 'string' && part !== '')
    .join(' ');
}

function choices(schema: Schema): string | undefined {
  const members = membersOf(schema);
  return members.length > 0 ? `One of ${members.map((member) => `\`${member}\``).join(', ')}.` : undefined;
}

/** The values that a schema lists. */
export function membersOf(schema: Schema): unknown[] {
  const own = (schema.enum ?? (schema.const === undefined ? undefined : [schema.const])) as unknown[] | undefined;
  const all = own ?? alternativesOf(schema)?.flatMap(membersOf) ?? [];
  return all.filter((member) => member !== null);
}

function limits({ minimum, maximum, maxLength, maxItems }: Schema): string | undefined {
  const least = typeof minimum === 'number' && minimum > -LARGE ? minimum : undefined;
  const most = typeof maximum === 'number' && maximum < LARGE ? maximum : undefined;
  if (least !== undefined && most !== undefined) return `From ${least} to ${most}.`;
  if (least !== undefined && least !== 1) return `At least ${least}.`;
  if (most !== undefined) return `At most ${most}.`;
  if (typeof maxLength === 'number') return `At most ${maxLength} characters.`;
  return typeof maxItems === 'number' ? `At most ${maxItems} entries.` : undefined;
}

const standard = ({ default: value }: Schema) =>
  value === undefined || value === null ? undefined : `Defaults to \`${JSON.stringify(value)}\`.`;

type Schemas = Readonly<Record<string, Schema>>;

/** The named schemas of both versions, and the schemas that a chapter refers to. */
export class NamedObjects {
  readonly #schemas: Readonly<Record<Version, Schemas>>;
  readonly #used = new Map<string, { readonly version: Version; readonly name: string }>();

  constructor(v1: Schemas, v2: Schemas) {
    this.#schemas = { v1, v2 };
  }

  /** Starts a new chapter. */
  begin(): void {
    this.#used.clear();
  }

  in(version: Version): Named {
    return {
      schemaOf: (name) => this.#schemas[version][name] ?? {},
      refer: (name) => {
        const id = this.#idOf(version, name);
        if (!this.#used.has(id)) this.#used.set(id, { version, name });
        return `[${id}](#${id})`;
      },
    };
  }

  /** All objects that the chapter refers to, directly or indirectly, by name. */
  described(): { id: string; name: string; about: string; fields: readonly DescribedField[] }[] {
    const made = new Map<string, readonly DescribedField[]>();
    // A map is iterated in insertion order and includes entries added during the iteration.
    for (const [id, { version, name }] of this.#used)
      made.set(id, fieldsOf(this.#schemas[version][name] ?? {}, this.in(version)));
    return [...made]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([id, fields]) => {
        const { version, name } = this.#used.get(id)!;
        return { id, name: id, about: String(this.#schemas[version][name]?.description ?? ''), fields };
      });
  }

  /** Schemas with the same name get different ids if the versions define them differently. */
  #idOf(version: Version, name: string): string {
    const first = this.#schemas.v1[name];
    const isOther = version === 'v2' && first && JSON.stringify(first) !== JSON.stringify(this.#schemas.v2[name]);
    return isOther ? `${name}V2` : name;
  }
}
