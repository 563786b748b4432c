import { Client } from 'pg';
import { numberPlaceholders } from '../placeholders.ts';
import { type Answerer, OutOfTime } from '../search/messages.ts';
import { presentAsJson } from '../search/result.ts';
import type { Row } from '../shape.ts';
import { cellTypes } from './types.ts';

const QUERY_CANCELED = '57014';
const CONNECT_TIMEOUT_MS = 1500;

/** Runs searches on a connection of this thread; a broken one is replaced at the next search. */
export function postgresAnswerer(url: string, deadlineMs: number): Answerer {
  let client: Client | undefined;

  async function connected(): Promise<Client> {
    if (client) return client;
    const fresh = new Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: deadlineMs,
      application_name: 'trackway search',
      types: cellTypes,
    });
    const forget = () => {
      if (client === fresh) client = undefined;
    };
    fresh.on('error', forget).on('end', forget);
    await fresh.connect();
    await fresh.query('SET default_transaction_read_only = on');
    client = fresh;
    return fresh;
  }

  return async (ask) => {
    const { sql, cells } = ask;
    const connection = await connected();
    const endsAt = performance.now() + deadlineMs;
    const checkDeadline = () => {
      if (performance.now() > endsAt) throw new OutOfTime('The search was not done by its deadline.');
    };
    try {
      const { rows } = await connection.query<Row>(numberPlaceholders(sql), [...cells]);
      return presentAsJson(ask, rows, checkDeadline);
    } catch (error) {
      if ((error as { code?: string }).code !== QUERY_CANCELED) throw error;
      throw new OutOfTime('The search was not done by its deadline.', { cause: error });
    }
  };
}
