import type { Dialect } from './dialect.ts';
import { distanceMm } from './distance.ts';
import type { FilterFields } from './fields.ts';
import type { OrderTerm } from './order.ts';
import type { Filter } from './parse.ts';
import { column, joined, type Sql, sql } from './sql.ts';

/**
 * Sorts by distance if a place is given, then by the requested order or that of the table, then by id. Nulls come first ascending and last
 * descending. `sorted` keeps the engine from scanning an index in this order.
 */
export function orderBy(dialect: Dialect, fields: FilterFields, filter: Filter, sorted = false): Sql {
  const nearest = filter.where.near ? [distanceMm(dialect, filter.where.near)] : [];
  const isUnordered = filter.order.length === 0 && nearest.length === 0;
  const byTime = isUnordered && fields.isByTime ? [sql`${sorted ? '+' : ''}${column(fields.timeRange!)}`] : [];
  return joined([...nearest, ...byTime, ...orderTerms(dialect, fields, filter.order, sorted ? '+' : '')], ', ');
}

function orderTerms(dialect: Dialect, fields: FilterFields, order: readonly OrderTerm[], plus: string): Sql[] {
  const terms: Sql[] = [];
  for (const { target, descending } of order) {
    const direction = descending ? ' DESC' : '';
    const nulls = descending ? dialect.nullsLast : dialect.nullsFirst;
    if (target.to === 'column') {
      if (target.column === 'id') return [...terms, sql`${plus}"id"${direction}`];
      // A NULLS clause keeps PostgreSQL from using an index, so a column without nulls has none.
      if (target.column === fields.timeRange) terms.push(sql`${plus}${column(target.column)}${direction}`);
      else terms.push(sql`${column(target.column)}${direction}${nulls}`);
      continue;
    }
    const { column: name, path } = target;
    terms.push(sql`${dialect.jsonRank(name, path)}${direction}`);
    for (const as of ['flag', 'number', 'text'] as const) {
      terms.push(sql`${dialect.jsonValue(name, path, as)}${direction}${nulls}`);
    }
  }
  return [...terms, sql`${plus}"id"`];
}
