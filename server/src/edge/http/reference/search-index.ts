import { guides } from './guides.ts';
import { chapters, type DescribedOperation } from './model.ts';

/** What the search of the page looks in: everything that can be opened, in short names to stay small. */
export interface SearchEntry {
  /** Title. */
  readonly t: string;
  /** Method of an operation. */
  readonly m?: string;
  /** Path of an operation, or the document in which a part stands. */
  readonly p: string;
  /** Name of an operation. */
  readonly n?: string;
  /** Address. */
  readonly u: string;
  /** Other words by which it is found. */
  readonly w: string;
}

export function searchIndex(): SearchEntry[] {
  const documents = guides().flatMap(({ slug, title, text, headings }) => {
    const address = `/docs/guides/${slug}`;
    // The text after a heading, up to the next one.
    const [first = '', ...texts] = text.split(/^#{2,} .*$/m);
    const parts = headings.map(({ text: heading, id }, index) => ({
      t: heading,
      p: title,
      u: `${address}#${id}`,
      w: wordsOf(texts[index] ?? ''),
    }));
    return [{ t: title, p: 'Guide', u: address, w: wordsOf(first) }, ...parts];
  });
  const operations = chapters().flatMap(({ name, slug, operations }) =>
    operations.map((one) => ({
      t: one.summary,
      m: one.method,
      p: one.path,
      n: one.name,
      u: `/docs/api/${slug}#${one.name}`,
      w: wordsOf([name, one.about, ...fieldNames(one)].join(' ')),
    })),
  );
  return [...documents, ...operations, ...objects()];
}

/** Each object once, in the first chapter that has it. */
function objects(): SearchEntry[] {
  const found = new Map<string, SearchEntry>();
  for (const { name, slug, objects: own } of chapters())
    for (const { id, fields } of own)
      if (!found.has(id))
        found.set(id, {
          t: id,
          p: `Object of ${name}`,
          u: `/docs/api/${slug}#${id}`,
          w: wordsOf(fields.map((field) => plainName(field.name)).join(' ')),
        });
  return [...found.values()];
}

const plainName = (name: string) => name.replaceAll(/[.[\]]/g, ' ');

const fieldNames = ({ parameters, body }: DescribedOperation) =>
  [...parameters, ...(body?.fields ?? [])].map(({ name }) => plainName(name));

/** Each word once. Short words find nothing. */
const wordsOf = (text: string) => [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_-]{3,}/gu) ?? [])].join(' ');
