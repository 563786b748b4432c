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
  const documents = guides().flatMap(({ slug, title, about, headings }) => {
    const address = `/docs/guides/${slug}`;
    const parts = headings.map(({ text, id }) => ({ t: text, p: title, u: `${address}#${id}`, w: '' }));
    return [{ t: title, p: 'Guide', u: address, w: wordsOf(about) }, ...parts];
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
  return [...documents, ...operations];
}

const fieldNames = ({ parameters, body }: DescribedOperation) =>
  [...parameters, ...(body?.fields ?? [])].map(({ name }) => name.replaceAll(/[.[\]]/g, ' '));

/** Each word once. Short words find nothing. */
const wordsOf = (text: string) => [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_-]{3,}/gu) ?? [])].join(' ');
