import { BATTERIES, COLUMNS, type ColumnKey, SORTABLE, USUAL_COLUMNS, type Wish } from './listing.ts';

/** The state of the list as the query of its address: it can be shared, and saved as a view. */

const STATES = ['moving', 'stopped', 'offline'] as const;

export interface Shown extends Wish {
  readonly columns: readonly ColumnKey[];
}

const known = <Word extends string>(words: readonly Word[], given: readonly string[]) =>
  words.filter((word) => given.includes(word));

export function wishOf(query: URLSearchParams): Shown {
  const sort = SORTABLE.find((column) => column === query.get('sort')) ?? 'name';
  const chosen = query.get('columns');
  return {
    text: query.get('q') ?? '',
    tags: query.getAll('tag'),
    states: known(STATES, query.getAll('state')),
    batteries: known(BATTERIES, query.getAll('battery')),
    group: Number(query.get('group')) || undefined,
    sort,
    descends: query.get('desc') === '1',
    columns: chosen === null ? USUAL_COLUMNS : known(COLUMNS, ['name', ...chosen.split(',')]),
  };
}

export function queryOf({ text, tags, states, batteries, group, sort, descends, columns }: Shown): URLSearchParams {
  const query = new URLSearchParams();
  if (text !== '') query.set('q', text);
  for (const tag of tags) query.append('tag', tag);
  for (const state of states) query.append('state', state);
  for (const battery of batteries) query.append('battery', battery);
  if (group !== undefined) query.set('group', String(group));
  if (sort !== 'name') query.set('sort', sort);
  if (descends) query.set('desc', '1');
  const isUsual = columns.length === USUAL_COLUMNS.length && USUAL_COLUMNS.every((column) => columns.includes(column));
  if (!isUsual) query.set('columns', columns.filter((column) => column !== 'name').join(','));
  return query;
}
