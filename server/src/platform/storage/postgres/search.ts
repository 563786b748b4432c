import { Client } from 'pg';
import { numberPlaceholders } from '../placeholders.ts';
import type { SlotKeys } from '../placement.ts';
import { type Answerer, OutOfTime } from '../search/messages.ts';
import { presentAsJson } from '../search/result.ts';
import type { Cell } from '../shape.ts';
import { Addresses } from './addresses.ts';
import { statementNamer } from './statement-namer.ts';
import { cellTypes } from './types.ts';

const QUERY_CANCELED = '57014';
const CONNECT_TIMEOUT_MS = 1500;

/**
 * Runs searches on a connection of this thread; a broken one is replaced at the next search. Each is a transaction that
 * only reads and has its time: behind a pooler nothing else holds for it alone.
 */
export function postgresAnswerer(
  { url, slotKeys }: { readonly url: string; readonly slotKeys?: SlotKeys },
  deadlineMs: number,
): Answerer {
  const named = statementNamer(slotKeys);
  const addresses = new Addresses(url);
  const begin = `BEGIN READ ONLY; SET LOCAL statement_timeout = ${Math.round(deadlineMs)}`;
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

  return async (ask) => {
    const { sql, cells } = named(numberPlaceholders(ask.sql), ask.cells);
    const connection = await connected();
    const endsAt = performance.now() + deadlineMs;
    const checkDeadline = () => {
      if (performance.now() > endsAt) throw new OutOfTime('The search was not done by its deadline.');
    };
    try {
      await connection.query(begin);
      const asked = { text: sql, values: [...cells], rowMode: 'array' } as const;
      const { rows, fields } = await connection.query<Cell[]>(asked);
      await connection.query('COMMIT');
      const names = fields.map(({ name }) => name);
      return presentAsJson(ask, names, rows, checkDeadline);
    } catch (error) {
      await connection.query('ROLLBACK').catch(() => giveUp(connection));
      if ((error as { code?: string }).code !== QUERY_CANCELED) throw error;
      throw new OutOfTime('The search was not done by its deadline.', { cause: error });
    }
  };
}
