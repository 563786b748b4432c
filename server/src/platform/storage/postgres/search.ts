import { Client } from 'pg';
import { numberPlaceholders } from '../run-sql.ts';
import { type Answerer, Deadline, OutOfTime, TooSlow } from '../search/messages.ts';
import { presentAsJson } from '../search/result.ts';
import type { Cell } from '../shape.ts';
import { Addresses } from './addresses.ts';
import { cellTypes } from './types.ts';

const QUERY_CANCELED = '57014';
const CONNECT_TIMEOUT_MS = 1500;
const TOTAL_COST = /Total Cost\W+([\d.]+)/g;
/** A machine with nothing else to do does at least this much in a millisecond, in units of the planner. */
const BROAD_COST_PER_MS = 5;

/**
 * Runs searches on a connection of this thread; a broken one is replaced at the next search. Each is a transaction that
 * only reads and has its time: behind a pooler nothing else holds for it alone.
 */
export function postgresAnswerer({ url }: { readonly url: string }, deadlineMs: number): Answerer {
  const addresses = new Addresses(url);
  const begin = `BEGIN READ ONLY; SET LOCAL statement_timeout = ${Math.round(deadlineMs)}`;
  const deadline = new Deadline(deadlineMs);
  let client: Client | undefined;

  async function connected(): Promise<Client> {
    if (client) return client;
    const fresh = await addresses.connect(
      (address) =>
        new Client({
          connectionString: address,
          connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
          application_name: 'trackway search',
          types: cellTypes,
        }),
    );
    const forget = () => {
      if (client === fresh) client = undefined;
    };
    fresh.on('error', forget).on('end', forget);
    client = fresh;
    return fresh;
  }

  function giveUp(connection: Client): void {
    if (client === connection) client = undefined;
    connection.end().catch(() => {});
  }

  /** The estimate of the planner, which does not depend on the load of the machine; 0 if there is none. */
  async function costOf(connection: Client, sql: string, cells: readonly unknown[]): Promise<number> {
    try {
      await connection.query(begin);
      const { rows } = await connection.query({ text: `EXPLAIN (FORMAT JSON) ${sql}`, values: [...cells] });
      await connection.query('COMMIT');
      // On several servers the costs are in the tasks.
      return Math.max(0, ...Array.from(JSON.stringify(rows).matchAll(TOTAL_COST), ([, cost]) => Number(cost)));
    } catch {
      giveUp(connection);
      return 0;
    }
  }

  return async (ask) => {
    const sql = numberPlaceholders(ask.sql);
    const { cells } = ask;
    const connection = await connected();
    try {
      await connection.query(begin);
      const asked = { text: sql, values: [...cells], rowMode: 'array' } as const;
      const { rows, fields } = await connection.query<Cell[]>(asked);
      await connection.query('COMMIT');
      const names = fields.map(({ name }) => name);
      deadline.restart();
      return presentAsJson(ask, names, rows, () => deadline.check());
    } catch (error) {
      await connection.query('ROLLBACK').catch(() => giveUp(connection));
      if ((error as { code?: string }).code !== QUERY_CANCELED) throw error;
      const isBroad = (await costOf(connection, sql, cells)) > deadlineMs * BROAD_COST_PER_MS;
      const [Kind, why] = isBroad ? [OutOfTime, 'was not done by its deadline'] : [TooSlow, 'waited for its server'];
      throw new Kind(`The search ${why}.`, { cause: error });
    }
  };
}
