import { type Asked, PAGE_LIMIT, type Page } from '@trackway/contract/page.ts';
import { type Call, JsonText } from '../calls.ts';
import type { Collection, ListRequest, PageRequest, Scope, Values } from '../platform/collection.ts';
import { badRequest, slow } from '../platform/errors.ts';
import {
  type AnyDatabase,
  type Search,
  SearchesFull,
  SearchSlow,
  SearchTooLong,
} from '../platform/storage/database.ts';
import type { Row, TableShape } from '../platform/storage/shape.ts';
import { busy, childNotFound } from '../refusals.ts';

/** What every family of things does alike: list, count, read and delete within a scope. */

export const children = (column: string, parent: number): Scope => ({
  sql: `"${column}" = ?`,
  cells: [parent],
  within: { [column]: parent },
});

/** Whose turns on other threads a call uses up. */
export const ownerOf = ({ caller }: Pick<Call, 'caller'>) => `user:${caller.userId}`;

export const requestOf = (call: Call): ListRequest => ({
  query: call.query,
  now: call.now,
  owner: ownerOf(call),
  listed: call.listed,
  isStrict: call.isStrict,
});

/** Things of one kind within the scope of a call. `Shown` is one of them as the API shows it. */
export interface Family<Shown extends object> {
  readonly name: string;
  readonly rows: Collection<Shown>;
  scope(call: Call): Scope;
}

export const familyOf = <Shown extends object>(
  name: string,
  rows: Collection<Shown>,
  scope: (call: Call) => Scope,
): Family<Shown> => ({ name, rows, scope });

export async function listOf<Shown extends object>(
  { rows, scope }: Family<Shown>,
  call: Call,
): Promise<JsonText<Shown[]>> {
  return new JsonText<Shown[]>(await rows.list(scope(call), requestOf(call)));
}

export async function countOf<Shown extends object>(
  { rows, scope }: Family<Shown>,
  call: Call,
): Promise<{ count: number }> {
  return { count: await rows.count(scope(call), requestOf(call)) };
}

export async function rowOf<Shown extends object>({ name, rows, scope }: Family<Shown>, call: Call): Promise<Row> {
  const row = await rows.find(scope(call), call.key);
  if (row === undefined) throw childNotFound(name, call.key);
  return row;
}

export async function readOf<Shown extends object>(
  { name, rows, scope }: Family<Shown>,
  call: Call,
): Promise<JsonText<Shown>> {
  const text = await rows.text(scope(call), call.key);
  if (text === undefined) throw childNotFound(name, call.key);
  return new JsonText<Shown>(text);
}

export async function removeOf<Shown extends object>(family: Family<Shown>, call: Call): Promise<undefined> {
  const { deviceId } = await rowOf(family, call);
  await family.rows.remove(call.key, undefined, typeof deviceId === 'number' ? { deviceId } : {});
  return undefined;
}

export async function removeAllOf<Shown extends object>(
  { rows, scope }: Family<Shown>,
  call: Call,
): Promise<undefined> {
  await rows.removeAll(scope(call));
  return undefined;
}

/** The fields of a body that say something else than the thing has now. */
export function changedFields<Shown extends object>(sent: Values<Shown>, shown: Shown): (keyof Shown)[] {
  return (Object.keys(sent) as (keyof Shown)[]).filter((name) => !isSame(sent[name], shown[name]));
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The rows that a search finds, presented by its shape. */
export async function searchOf<Shown extends object>(
  store: Pick<AnyDatabase, 'search'>,
  search: Search & { readonly shape: TableShape<Shown> },
): Promise<JsonText<Shown[]>> {
  return new JsonText<Shown[]>(await unlessBusy('searches', store.search(search)));
}

const AGAIN_S = 2;

/** What runs on another thread, or the refusal where too much waits there or it takes too long. */
export async function unlessBusy<T>(what: string, running: Promise<T>): Promise<T> {
  try {
    return await running;
  } catch (error) {
    if (error instanceof SearchSlow) throw slow();
    if (error instanceof SearchesFull) throw busy(what, AGAIN_S);
    if (error instanceof SearchTooLong)
      throw badRequest('too much to search: request a shorter period or fewer devices');
    throw error;
  }
}

/** Keys that never move: a body may repeat them, spelled as it likes, but not change them. */
export function refuseMoved(sent: Readonly<Record<string, unknown>>, fixed: Record<string, number | null>): void {
  for (const [field, value] of Object.entries(fixed)) {
    if (!Object.hasOwn(sent, field) || sent[field] === null || sent[field] === undefined) continue;
    const given = sent[field];
    const same = (typeof given === 'number' || typeof given === 'string') && given !== '' && Number(given) === value;
    if (!same) throw badRequest(`${field} cannot be changed: it is ${value}`);
  }
}

/** Lists of version 2, in pages. */

/** What a caller asked for, with its defaults. */
interface Paged {
  readonly limit: number;
  /** The number of the page as asked for: 0 and 1 are both the first. */
  readonly page: number;
  readonly skip: number;
  readonly sort: string | undefined;
  readonly isDescending: boolean;
  readonly include: ReadonlySet<string>;
}

export function pagedBy({ _limit: limit = PAGE_LIMIT, _page: page = 1, ...asked }: Asked): Paged {
  return {
    limit,
    page,
    skip: (Math.max(page, 1) - 1) * limit,
    sort: asked._sort,
    isDescending: asked._direction === 'desc',
    include: new Set(asked._include),
  };
}

export function pageAnswer<Entry>(data: Entry[], totalElements: number, { limit, page }: Paged): Page<Entry> {
  return { data, limit, page, totalElements, totalPages: Math.ceil(totalElements / limit) };
}

/** `fields`: the names of sortable fields where they differ from the family's names. */
export function orderOf({ sort, isDescending }: Paged, fields: Readonly<Record<string, string>> = {}): string {
  const direction = isDescending ? 'DESC' : 'ASC';
  return sort === undefined || sort === 'id' ? `id ${direction}` : `${fields[sort] ?? sort} ${direction}, id ASC`;
}

/** A page of a family. `show` converts an entry. */
export async function pageOf<Shown extends object, Entry>(
  { rows, scope }: Family<Shown>,
  call: Call<unknown, Asked>,
  more: {
    readonly where?: PageRequest['where'];
    readonly fields?: Readonly<Record<string, string>>;
    readonly show: (row: Shown) => Entry;
  },
): Promise<Page<Entry>> {
  const paged = pagedBy(call.parameters);
  const { limit, skip } = paged;
  const wanted = { where: more.where, order: orderOf(paged, more.fields), limit, skip };
  const page = await rows.page(scope(call as Call), wanted, { now: call.now, owner: ownerOf(call) });
  return pageAnswer(page.rows.map(more.show), page.total, paged);
}
