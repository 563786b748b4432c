import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import fc from 'fast-check';
import { SQLITE } from '../storage/dialect.ts';
import { ddl } from '../storage/migrations.ts';
import { registerFunctions } from '../storage/sqlite/connection.ts';
import { compileList } from './compile.ts';
import { parseFilter } from './parse.ts';
import { askedOfLoopBack, deviations, formDeviations, NotComparable } from './testing/deviations.ts';
import { type GeneratedFilter, typedFilters } from './testing/filters.ts';
import { type LoopBack, startLoopBack } from './testing/loopback.ts';
import { base, fields, migrations, now, rowOf, type Thing, typedThings } from './testing/rows.ts';

const rounds = Number(process.env.FILTER_ROUNDS ?? 60);
const filtersPerRound = 50;
const seed = Number(process.env.FILTER_SEED ?? 20240302);

/** The quick check needs only what the checkout contains. */
const skip = process.env.TRACKWAY_SKIP_ORACLE === '1' && 'TRACKWAY_SKIP_ORACLE: nothing was compared with LoopBack';

test('a filter finds what LoopBack 3 finds', { skip }, async () => {
  const loopback = startLoopBack();
  try {
    const compared = await compareAll(loopback);
    report(compared);
    assert.ok(compared.asItIs + compared.askedAround > 0.85 * compared.total, 'too few filters were compared');
    assert.ok(compared.asItIs > 0.35 * compared.total, 'too few filters were compared as they are');
  } finally {
    await loopback.stop();
  }
});

interface Compared {
  total: number;
  asItIs: number;
  askedAround: number;
  found: number;
  readonly met: Map<string, number>;
}

async function compareAll(loopback: LoopBack): Promise<Compared> {
  const database = openThings();
  const compared: Compared = { total: 0, asItIs: 0, askedAround: 0, found: 0, met: new Map() };
  const filters = fc.array(typedFilters, { minLength: filtersPerRound, maxLength: filtersPerRound });
  for (const [things, asked] of fc.sample(fc.tuple(typedThings, filters), { numRuns: rounds, seed })) {
    keep(database, things);
    await loopback.keep(things);
    for (const filter of asked) await compareOne(database, loopback, things, filter, compared);
  }
  return compared;
}

async function compareOne(
  database: DatabaseSync,
  loopback: LoopBack,
  things: Thing[],
  filter: GeneratedFilter,
  compared: Compared,
): Promise<void> {
  compared.total++;
  const met = new Set<string>();
  try {
    const near = nearOf(filter);
    // Two rows at nearly the same distance may come in either order, so a page may contain either.
    const { limit, skip, ...whole } = filter;
    const mine = near ? whole : filter;
    const where = askedOfLoopBack(filter.where ?? {}, (name) => met.add(name));
    const [ours, theirs] = [find(database, mine), await loopback.find({ ...mine, where })];
    const said = `${JSON.stringify(filter)}\nasked of LoopBack as ${JSON.stringify(where)}\nof ${JSON.stringify(things)}`;
    if (near) assert.deepEqual(byDistance(ours, things, near), byDistance(theirs, things, near), said);
    else assert.deepEqual(ours, theirs, said);
    if (met.size === 0) compared.asItIs++;
    else compared.askedAround++;
    if (ours.length > 0) compared.found++;
  } catch (error) {
    if (!(error instanceof NotComparable)) throw error;
  } finally {
    for (const name of met) compared.met.set(name, (compared.met.get(name) ?? 0) + 1);
  }
}

function openThings(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  registerFunctions(database);
  database.exec(ddl('sqlite', migrations[0]!.up as string));
  return database;
}

function keep(database: DatabaseSync, things: Thing[]): void {
  database.exec('DELETE FROM things');
  for (const thing of things) {
    const row = rowOf(thing);
    const columns = Object.keys(row);
    const marks = columns.map(() => '?').join(', ');
    const insert = `INSERT INTO things (${columns.map((name) => `"${name}"`).join(', ')}) VALUES (${marks})`;
    database.prepare(insert).run(...Object.values(row));
  }
}

function find(database: DatabaseSync, filter: GeneratedFilter): number[] {
  const parsed = parseFilter([['filter', JSON.stringify(filter)]], fields);
  const { sql, cells } = compileList({ dialect: SQLITE }, 'things', fields, base, parsed, { now });
  return database
    .prepare(sql)
    .all(...cells)
    .map((row) => row.id as number);
}

interface Spot {
  readonly lat: number;
  readonly lng: number;
}

function nearOf(filter: GeneratedFilter): Spot | undefined {
  const group = filter.where?.and as { spot?: { near?: Spot } }[] | undefined;
  return group?.map((one) => one.spot?.near).find((near) => near !== undefined);
}

/** The distances in metres, nearest first, with the ids of the rows. */
function byDistance(ids: number[], things: Thing[], near: Spot): { metres: number[]; ids: number[] } {
  const metres = ids.map((id) => Math.round(metresBetween(near, things.find((thing) => thing.id === id)!.spot!)));
  return { metres, ids: ids.toSorted((a, b) => a - b) };
}

function metresBetween(a: Spot, b: Spot): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const half = (from: number, to: number) => Math.sin(radians(to - from) / 2) ** 2;
  const chord = half(a.lat, b.lat) + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * half(a.lng, b.lng);
  return 2 * 6_371_008.8 * Math.asin(Math.min(1, Math.sqrt(chord)));
}

function report({ total, asItIs, askedAround, found, met }: Compared): void {
  const left = total - asItIs - askedAround;
  console.log(
    `${total} generated filters (seed ${seed}): ${asItIs} compared as they are, ${askedAround} asked around a`,
  );
  console.log(`deviation and compared, ${left} not compared; ${found} found rows. Filters that met each deviation:`);
  const whys = new Map([...Object.entries(formDeviations), ...deviations.map(({ name, why }) => [name, why] as const)]);
  for (const [name, why] of whys) console.log(`  ${String(met.get(name) ?? 0).padStart(5)}  ${name}: ${why}`);
}
