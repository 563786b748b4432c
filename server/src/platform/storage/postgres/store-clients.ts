import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { recentlyUsed } from '../../caches.ts';
import { postgresRows } from '../bulk.ts';
import { AT_COMMIT, joinedRows, LATER, type LaterStatement, type RowsAtCommit } from '../later.ts';
import type { SlotKeys } from '../placement.ts';
import { preparedName } from '../run-sql.ts';
import { StoreTrouble, type TroubleKind } from '../trouble.ts';
import { type Answer, type MessageStatement, sendMessage } from './message.ts';
import type { NewIds, SlotNamer } from './slots/name-slots.ts';

const LOST: readonly TroubleKind[] = ['unavailable', 'readOnly'];
/** Maximum number of waiting requests for a connection: further ones are refused at once. */
const MAX_WAITING = 2000;

const TAKE_IDS = `SELECT CAST(array_agg(nextval(CAST($1 AS regclass))) AS TEXT) AS "ids"
  FROM generate_series(1, CAST($2 AS INTEGER))`;

interface StoreClientOptions {
  /** The error in the form for code above the store. */
  toStoreError(error: unknown): unknown;
  /** Whether statements of the hot path are prepared once per connection. */
  readonly isPreparing: boolean;
  /** Converts statements for sending. */
  readonly named: SlotNamer;
  /** Whether rows are spread over several servers. */
  readonly isSpread?: boolean | undefined;
  /** Which statements need a turn of their transaction, if any do. */
  readonly needsTurn?: ((sql: string) => boolean) | undefined;
  /** Called once rows of a last statement are committed. */
  committedRows(): void;
}

/** The pool as Kysely uses it. */
export function storePool(pool: Pool, options: StoreClientOptions): PostgresPool {
  return {
    async connect() {
      try {
        refuseCrowd(pool);
        return storeClient(await pool.connect(), options) as unknown as PostgresPoolClient;
      } catch (error) {
        throw options.toStoreError(error);
      }
    },
    end: () => pool.end(),
  } as PostgresPool;
}

export function refuseCrowd({ waitingCount }: Pool): void {
  if (waitingCount >= MAX_WAITING) throw new StoreTrouble('busy', new Error('Too many wait for a connection.'));
}

/**
 * One connection, for as long as one user of the pool has it. A connection that did not answer once is not asked again,
 * not even to roll back, and is closed when it is released.
 */
function storeClient(client: PoolClient, options: StoreClientOptions) {
  const { toStoreError, isPreparing, named, isSpread = false, needsTurn, committedRows } = options;
  let lost: unknown;
  let waiting: RowsAtCommit[] = [];
  /** What goes with the next message. A transaction begins with its first statement. */
  let later: LaterStatement[] = [];
  let isBegun = false;
  let mayNeedTurn = false;
  /** The message that is under way: another one waits until it is answered. */
  let sent: Promise<unknown> | undefined;

  /** What is sent for a statement: usually one. */
  async function partsOf({ sql, cells }: LaterStatement): Promise<MessageStatement[]> {
    const { more = [], newIds, ...first } = named(sql, cells);
    const prepared = isPreparing ? preparedName(sql) : undefined;
    const ids = newIds && (await takeIds(newIds));
    return [first, ...more].map(({ sql: text, cells: values, form }) => ({
      name: prepared && form ? `${prepared}.${form}` : prepared,
      text,
      values: newIds ? values.with(newIds.cell, ids) : values,
    }));
  }

  /** The next ids of a table, as a list. */
  const takeIds = async ({ table, count }: NewIds): Promise<string> => {
    const name = isPreparing ? 'take ids' : undefined;
    const { rows } = await client.query({ name, text: TAKE_IDS, values: [`"${table}_ids"`, count] });
    return rows[0].ids;
  };

  /** Sends statements as one message. Answers the last of them. */
  async function send(statements: readonly LaterStatement[]): Promise<Answer> {
    while (sent !== undefined) await sent.catch(() => {});
    const sending = sendNow(statements);
    sent = sending;
    try {
      return await sending;
    } finally {
      sent = undefined;
    }
  }

  async function sendNow(statements: readonly LaterStatement[]): Promise<Answer> {
    const parts: (readonly MessageStatement[])[] = [];
    for (const statement of statements) parts.push(await partsOf(statement));
    const answering = sendMessage(client, parts.flat());
    let next = 0;
    let last: Answer | undefined;
    for (const [index, { length }] of parts.entries()) {
      const from = next;
      next += length;
      const { answered } = statements[index]!;
      answered?.(answering.then((answers) => answers.slice(from, from + length).flatMap(({ rows }) => rows)));
    }
    const answers = await answering;
    for (const answer of answers.slice(next - parts.at(-1)!.length)) last = last ? joined(last, answer) : answer;
    return last!;
  }

  /** The statements that go first now. */
  function takeLater(): LaterStatement[] {
    const taken = later;
    later = [];
    isBegun ||= taken.some(({ sql }) => BEGINS.test(sql));
    return taken;
  }

  async function commit(sql: string): Promise<Answer | typeof NOTHING> {
    const works = joinedRows(waiting).flatMap(({ statement, rows }) =>
      (isSpread ? statement.spread : [statement.postgres]).map((one) => postgresRows(one, rows)),
    );
    waiting = [];
    const before = [...takeLater(), ...works.map((work) => ({ sql: work.sql, cells: work.parameters }))];
    // Nothing was done.
    if (before.length === 1 && BEGINS.test(before[0]!.sql)) return end();
    // Where a statement fails, those behind it are not run: the transaction is rolled back next.
    const committed = await send([...before, { sql, cells: [] }]);
    if (works.length > 0) committedRows();
    end();
    return committed;
  }

  function end(): typeof NOTHING {
    waiting = [];
    later = [];
    isBegun = false;
    return NOTHING;
  }

  return {
    async query(sql: string, cells: readonly unknown[]) {
      if (lost !== undefined) throw lost;
      try {
        if (sql === AT_COMMIT) {
          waiting.push(cells[0] as RowsAtCommit);
          return NOTHING;
        }
        if (sql === LATER) {
          later.push(...(cells[0] as LaterStatement[]));
          return NOTHING;
        }
        if (BEGINS.test(sql)) {
          later = [{ sql, cells: [] }];
          mayNeedTurn = needsTurn !== undefined;
          return NOTHING;
        }
        if (sql === 'commit') return await commit(sql);
        if (sql === 'rollback') {
          const isThere = isBegun;
          end();
          return isThere ? await send([{ sql, cells: [] }]) : NOTHING;
        }
        if (mayNeedTurn && needsTurn!(sql)) {
          mayNeedTurn = false;
          later.push({ sql: TAKE_TURN, cells: [] });
        }
        return await send([...takeLater(), { sql, cells }]);
      } catch (error) {
        const thrown = toStoreError(error);
        // One that can't write any more leads to a server that has become a standby.
        if (thrown instanceof StoreTrouble && LOST.includes(thrown.kind)) lost = thrown;
        throw thrown;
      }
    },
    release(discard?: boolean) {
      client.release(discard || lost !== undefined);
      if (lost === undefined && waiting.length + later.length > 0)
        throw new Error('Rows for a commit were given outside a transaction.');
    },
  };
}

const NOTHING = { rows: [] as unknown[] };
/** As Kysely begins transactions. */
const BEGINS = /^(?:begin|start transaction)\b/;

/** The answers to two parts of a statement, as one. */
const joined = (one: Answer, other: Answer): Answer => ({
  command: one.command,
  rows: [...one.rows, ...other.rows],
  rowCount: (one.rowCount ?? 0) + (other.rowCount ?? 0),
});

const WRITES = /\b(?:insert\s+into|update|delete\s+from)\s+"(\w+)"/gi;
const REMEMBERED = 1000;

/**
 * Whether a statement writes to a reference table, which every server has a copy of. Citus locks the whole of such a
 * table for an update and shares the lock for an insert, so transactions that do both would wait for each other: these
 * take turns.
 */
export function referenceWrites({ references = [] }: SlotKeys): (sql: string) => boolean {
  const copied = new Set(references);
  return recentlyUsed(REMEMBERED, (sql) => [...sql.matchAll(WRITES)].some(([, table]) => copied.has(table!)));
}

/** One at a time. Released at the end of the transaction. */
const TAKE_TURN = 'SELECT pg_advisory_xact_lock(5071432086)';
