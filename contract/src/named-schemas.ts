/**
 * Collects the schemas that have a title under names of their own, so that generators make one type for one thing:
 * `plan summary entry` is `PlanSummaryEntry`.
 */

type Json = Record<string, unknown>;

export class NamedSchemas {
  readonly #schemas = new Map<string, Json>();

  all(): Json {
    return Object.fromEntries([...this.#schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** The schema for a document, in which each named one is a reference. */
  named(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((one) => this.named(one));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { title, description, type, 'x-same-as': same, ...rest } = schema as Json;
    if (typeof same === 'string') return { $ref: refOf(same), ...(description !== undefined && { description }) };
    if (typeof title !== 'string') return this.#inner(schema as Json);
    const types = [type].flat();
    const mayBeNull = types.includes('null');
    const own = types.filter((one) => one !== 'null');
    const name = this.#keep(
      nameOf(title),
      this.#inner({ title, ...(own[0] !== undefined && { type: own[0] }), ...rest }),
    );
    const about = description !== undefined && { description };
    return mayBeNull ? { anyOf: [{ $ref: refOf(name) }, { type: 'null' }], ...about } : { $ref: refOf(name), ...about };
  }

  #inner(schema: Json): Json {
    return Object.fromEntries(
      Object.entries(schema)
        .filter(([key]) => isPublic(key))
        .map(([key, value]) => [key, this.named(value)]),
    );
  }

  /** Two things of one title are told apart by a number. */
  #keep(wanted: string, schema: Json): string {
    const text = JSON.stringify(schema);
    for (let number = 1; ; number++) {
      const name = number === 1 ? wanted : `${wanted}${number}`;
      const known = this.#schemas.get(name);
      if (known !== undefined && JSON.stringify(known) !== text) continue;
      this.#schemas.set(name, schema);
      return name;
    }
  }
}

const refOf = (name: string) => `#/components/schemas/${name}`;

const nameOf = (title: string) =>
  title
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const isPublic = (key: string) => !key.startsWith('x-') && !key.startsWith('~');

/** A schema without the keywords that only this code base understands. */
export function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => isPublic(key))
      .map(([key, value]) => [key, plain(value)]),
  );
}
