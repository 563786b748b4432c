import type { Version } from '@trackway/contract/operation.ts';
import { type DescribedField, fieldsOf, type Named, type Schema } from './fields.ts';

type Schemas = Readonly<Record<string, Schema>>;

/** The named schemas of both versions, and which of them a chapter refers to. */
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

  /** All that the chapter refers to, what these refer to included, by name. */
  described(): { id: string; name: string; about: string; fields: readonly DescribedField[] }[] {
    const made = new Map<string, readonly DescribedField[]>();
    // A map is walked in the order of insertion, what is added while it is walked included.
    for (const [id, { version, name }] of this.#used)
      made.set(id, fieldsOf(this.#schemas[version][name] ?? {}, this.in(version)));
    return [...made]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([id, fields]) => {
        const { version, name } = this.#used.get(id)!;
        return { id, name: id, about: String(this.#schemas[version][name]?.description ?? ''), fields };
      });
  }

  /** What the versions call by one name is told apart where it is not the same. */
  #idOf(version: Version, name: string): string {
    const first = this.#schemas.v1[name];
    const isOther = version === 'v2' && first && JSON.stringify(first) !== JSON.stringify(this.#schemas.v2[name]);
    return isOther ? `${name}V2` : name;
  }
}
