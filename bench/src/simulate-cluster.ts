import { readFileSync } from 'node:fs';
import { type Cells, number, printTable } from './print/table.ts';

/**
 * Where a growing load breaks first, from our own figures: each part of a layout is a queue, run with random arrivals.
 * `--figures=FILE` takes a JSON with other figures, such as the output of `npm run bench -- nodes` on your machine.
 */

export interface ClusterFigures {
  /** Processor time per position, in µs, of a node and of the database, one position per report. */
  readonly nodeUs: number;
  readonly databaseUs: number;
  /** The same where a report holds many. */
  readonly batchedNodeUs: number;
  readonly batchedDatabaseUs: number;
  /** The same of one process with the embedded database. */
  readonly embeddedUs: number;
  /** What each other node spends on a position that it reads from the live log, in µs. */
  readonly receiveUs: number;
  /** For how long a transaction holds the lock of a slot, in µs. */
  readonly slotUs: number;
  /** How long a transaction takes, in µs: what arrives at a node meanwhile shares the next one. */
  readonly transactionUs: number;
  /** How many positions a report has where it has many. */
  readonly positionsPerReport: number;
  /** How long a flush of the log of commits takes, in µs, and how many positions share one at most. */
  readonly flushUs: number;
  readonly positionsPerFlush: number;
  readonly bytesPerPosition: number;
  readonly embeddedBytesPerPosition: number;
  /** How often a device reports. */
  readonly secondsBetween: number;
}

/**
 * Measured: processor times of PostgreSQL and its nodes, their split by `npm run bench -- nodes`, bytes by two million
 * simulated positions. Assumed: a process with the embedded database costs what a node does, reading a position of
 * another node is quick, a slot is locked for one flush, a flush takes a millisecond, and a transaction five.
 */
export const FIGURES: ClusterFigures = {
  nodeUs: 460,
  databaseUs: 330,
  batchedNodeUs: 70,
  batchedDatabaseUs: 50,
  embeddedUs: 460,
  receiveUs: 6,
  slotUs: 1000,
  transactionUs: 5000,
  positionsPerReport: 20,
  flushUs: 1000,
  positionsPerFlush: 200,
  bytesPerPosition: 342,
  embeddedBytesPerPosition: 149,
  secondsBetween: 30,
};

export interface Layout {
  readonly name: string;
  /** Each node is one thread of JavaScript. */
  readonly nodes: number;
  /** Servers that hold shards: 0 is the embedded database, 1 plain PostgreSQL, more are the workers of Citus. */
  readonly databases: number;
  readonly coresEach: number;
}

const SLOTS = 64;
const DEVICES = 10_000;
const FACTORS = [1, 10, 100, 1000];
const LAYOUTS: readonly Layout[] = [
  { name: 'one process, embedded', nodes: 1, databases: 0, coresEach: 1 },
  { name: '3 nodes, PostgreSQL of 8 cores', nodes: 3, databases: 1, coresEach: 8 },
  { name: '16 nodes, PostgreSQL of 32 cores', nodes: 16, databases: 1, coresEach: 32 },
  { name: '64 nodes, Citus of 8 × 16 cores', nodes: 64, databases: 8, coresEach: 16 },
  { name: '256 nodes, Citus of 32 × 16 cores', nodes: 256, databases: 32, coresEach: 16 },
];
/** Jobs of one run of a queue. */
const JOBS = 20_000;
/** Fuller than this, what waits for it grows for minutes after each burst. */
const FULL = 0.9;

/** A part that serves jobs, so many at once, each for a time. */
export interface Part {
  readonly name: string;
  readonly perSecond: number;
  readonly serviceUs: number;
  readonly servers: number;
}

const PARTS = ['node', 'database', 'slot lock', 'commit log', 'live log'] as const;

/** @param isBatched whether a report holds many positions, as trackers send them */
export function partsOf(layout: Layout, perSecond: number, figures: ClusterFigures, isBatched: boolean): Part[] {
  const { nodes, databases, coresEach } = layout;
  const nodeUs = isBatched ? figures.batchedNodeUs : figures.nodeUs;
  const databaseUs = isBatched ? figures.batchedDatabaseUs : figures.databaseUs;
  const flush = (logs: number): Part => ({
    name: 'commit log',
    perSecond: perSecond / figures.positionsPerFlush / logs,
    serviceUs: figures.flushUs,
    servers: 1,
  });
  if (databases === 0)
    return [{ name: 'node', perSecond, serviceUs: isBatched ? nodeUs : figures.embeddedUs, servers: 1 }, flush(1)];
  return [
    { name: 'node', perSecond: perSecond / nodes, serviceUs: nodeUs, servers: 1 },
    { name: 'database', perSecond: perSecond / databases, serviceUs: databaseUs, servers: coresEach },
    {
      name: 'slot lock',
      perSecond: locksPerSecond(layout, perSecond, figures, isBatched),
      serviceUs: figures.slotUs,
      servers: 1,
    },
    flush(databases),
    // Each node reads what the others stored, to send it to its listeners.
    { name: 'live log', perSecond: (perSecond * (nodes - 1)) / nodes, serviceUs: figures.receiveUs, servers: 1 },
  ];
}

/** How often a slot is locked: a transaction of a node locks each slot of its reports once. */
function locksPerSecond({ nodes }: Layout, perSecond: number, figures: ClusterFigures, isBatched: boolean): number {
  const { transactionUs, positionsPerReport, positionsPerFlush } = figures;
  const reports = isBatched ? perSecond / positionsPerReport : perSecond;
  const together = Math.min(positionsPerFlush, Math.max(1, ((reports / nodes) * transactionUs) / 1e6));
  const slotsEach = SLOTS * (1 - (1 - 1 / SLOTS) ** together);
  return ((reports / together) * slotsEach) / SLOTS;
}

export const loadOf = ({ perSecond, serviceUs, servers }: Part) => (perSecond * serviceUs) / 1e6 / servers;

/** How long the slowest hundredth waits, in ms, with arrivals at random; infinite where it never catches up. */
export function waitP99Ms(part: Part, jobs = JOBS): number {
  if (loadOf(part) >= 1) return Number.POSITIVE_INFINITY;
  const random = seeded();
  const free = new Float64Array(part.servers);
  const waits: number[] = [];
  for (let job = 0, now = 0; job < jobs; job++) {
    now += (-Math.log(1 - random()) * 1e6) / part.perSecond;
    let first = 0;
    for (let server = 1; server < free.length; server++) if (free[server]! < free[first]!) first = server;
    const begins = Math.max(now, free[first]!);
    // Some take long, many are short.
    free[first] = begins - Math.log(1 - random()) * part.serviceUs;
    waits.push(begins - now);
  }
  return waits.sort((a, b) => a - b)[Math.floor(jobs * 0.99)]! / 1000;
}

/** The same numbers at each run. */
function seeded(): () => number {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The part that is fullest, and how much more load fits until it is full. */
export function firstToBreak(parts: readonly Part[]): { readonly part: Part; readonly room: number } {
  const part = parts.reduce((fullest, one) => (loadOf(one) > loadOf(fullest) ? one : fullest));
  return { part, room: FULL / loadOf(part) };
}

export async function benchSimulateCluster(flags: ReadonlySet<string>): Promise<void> {
  const file = [...flags].find((flag) => flag.startsWith('--figures='))?.slice('--figures='.length);
  const figures = { ...FIGURES, ...(file && (JSON.parse(readFileSync(file, 'utf8')) as Partial<ClusterFigures>)) };
  console.log(`\nFigures: ${JSON.stringify(figures)}`);
  for (const isBatched of [false, true])
    printTable(
      `Load of each part, ${isBatched ? 'reports of many positions' : 'one position per report'}, each device every ${figures.secondsBetween} s`,
      ['layout', '× load', 'devices', 'positions/s', ...PARTS, 'p99 wait ms', 'breaks first', 'room', 'GB a day'],
      LAYOUTS.flatMap((layout) => FACTORS.map((factor) => rowOf(layout, factor, figures, isBatched))),
    );
}

function rowOf(layout: Layout, factor: number, figures: ClusterFigures, isBatched: boolean): Cells {
  const perSecond = (DEVICES * factor) / figures.secondsBetween;
  const parts = partsOf(layout, perSecond, figures, isBatched);
  const { part, room } = firstToBreak(parts);
  const shares = PARTS.map((name) => {
    const found = parts.find((one) => one.name === name);
    return found ? `${number(loadOf(found) * 100)} %` : '–';
  });
  const wait = Math.max(...parts.map((one) => waitP99Ms(one)));
  const bytes = layout.databases === 0 ? figures.embeddedBytesPerPosition : figures.bytesPerPosition;
  return [
    layout.name,
    number(factor),
    number(DEVICES * factor),
    number(perSecond),
    ...shares,
    number(wait, 1),
    `${part.name}${room < 1 ? ': BREAKS' : ''}`,
    `× ${number(room, room < 10 ? 1 : 0)}`,
    number((perSecond * 86_400 * bytes) / 1e9, 1),
  ];
}
