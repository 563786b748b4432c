import type { Client } from 'pg';

/** The table of a move that is not finished: no server may use the database while it is there. */
export const UNFINISHED_MOVE = 'unfinishedMove';

export async function refuseUnfinishedMove(client: Client): Promise<void> {
  const { rows } = await client.query(`SELECT to_regclass('"${UNFINISHED_MOVE}"') IS NOT NULL AS "isThere"`);
  if (rows[0].isThere)
    throw new Error(
      'The database holds an unfinished move: not all data is there. Run "trackway move" again, which goes on where it stopped.',
    );
}
