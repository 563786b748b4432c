import type { FilterDialect } from './dialect.ts';
import type { FieldTarget } from './fields.ts';
import { bound, column, joined, type Sql, sql } from './sql.ts';
import type { Near, Operand, Term, Test } from './term.ts';

/**
 * Compiles a term to an SQL condition. SQL's unknown counts as false, and `not` makes it true. Conditions on the
 * columns in `aside` are written so that the engine does not use an index on them.
 */
export function condition(dialect: FilterDialect, table: string, term: Term, aside: readonly string[] = []): Sql {
  const inner = (one: Term) => condition(dialect, table, one, aside);
  switch (term.term) {
    case 'always':
      return { sql: '1 = 1', cells: [] };
    case 'never':
      return { sql: '1 = 0', cells: [] };
    case 'all':
      return sql`(${joined(term.of.map(inner), ' AND ')})`;
    case 'any':
      return sql`(${joined(term.of.map(inner), ' OR ')})`;
    case 'not':
      return sql`(${inner(term.of)}) IS NOT TRUE`;
    case 'absent':
      return absent(dialect, term.target);
    case 'test':
      return operandTest(dialect, table, term.operand, term.test, aside);
    case 'equalJson':
      return dialect.jsonEqual(term.column, term.path, term.json);
    case 'within':
      return within(dialect, term.near);
  }
}

function absent(dialect: FilterDialect, target: FieldTarget): Sql {
  switch (target.to) {
    case 'json':
      return dialect.jsonAbsent(target.column, target.path);
    case 'place':
      return sql`${column(`${target.name}Lat`)} IS NULL`;
    default:
      return sql`${column(target.column)} IS NULL`;
  }
}

function operandTest(
  dialect: FilterDialect,
  table: string,
  operand: Operand,
  test: Test,
  aside: readonly string[],
): Sql {
  switch (operand.from) {
    case 'column': {
      const plus = aside.includes(operand.column) ? '+' : '';
      return valueTest(dialect, { sql: plus + column(operand.column), cells: [] }, test);
    }
    case 'json':
      return valueTest(dialect, dialect.jsonValue(operand.column, operand.path, operand.as), test);
    case 'elements':
      return dialect.anyElement(table, operand.column, (element) => valueTest(dialect, element, test));
  }
}

function valueTest(dialect: FilterDialect, value: Sql, test: Test): Sql {
  switch (test.is) {
    case 'compared':
      return sql`${value} ${test.sign} ${bound(test.with)}`;
    case 'among':
      return sql`${value} IN (${joined(test.values.map(bound), ', ')})`;
    case 'like':
      return dialect.like(value, test.pattern);
    case 'matched':
      return dialect.matched(value, test.by);
  }
}

function within(dialect: FilterDialect, near: Near): Sql {
  const parts: Sql[] = [sql`${column(`${near.name}Lat`)} IS NOT NULL`, sql`${column(`${near.name}Lng`)} IS NOT NULL`];
  const distance = distanceM(dialect, near);
  if (near.minDistanceM !== undefined) parts.push(sql`${distance} >= ${dialect.number(near.minDistanceM)}`);
  if (near.maxDistanceM !== undefined) parts.push(sql`${distance} <= ${dialect.number(near.maxDistanceM)}`);
  return sql`(${joined(parts, ' AND ')})`;
}

/** The mean radius of the Earth. */
const earthRadiusM = 6_371_008.8;

/** Metres from a place on the sphere, by the haversine formula; NULL if a row has no place. */
function distanceM(dialect: FilterDialect, near: Near): Sql {
  const [lat, lng] = [column(`${near.name}Lat`), column(`${near.name}Lng`)];
  const halfLat = sql`sin(radians(${lat} - ${dialect.number(near.lat)}) / 2)`;
  const halfLng = sql`sin(radians(${lng} - ${dialect.number(near.lng)}) / 2)`;
  const cosines = sql`${dialect.number(Math.cos((near.lat * Math.PI) / 180))} * cos(radians(${lat}))`;
  const haversine = sql`${halfLat} * ${halfLat} + ${cosines} * ${halfLng} * ${halfLng}`;
  // Rounding may raise the argument above 1 at the antipode, where asin is undefined.
  return sql`${dialect.number(2 * earthRadiusM)} * asin(${dialect.least(dialect.number(1), sql`sqrt(${haversine})`)})`;
}

/** The distance to sort by, in whole millimetres: below that the arithmetic of the engines differs. */
export function distanceMm(dialect: FilterDialect, near: Near): Sql {
  return sql`round(1000 * (${distanceM(dialect, near)}))`;
}
