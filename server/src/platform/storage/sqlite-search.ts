import { recentlyUsed } from './recently-used.ts';
import { type Answerer, OutOfTime } from './search-messages.ts';
import { presentAsJson } from './search-result.ts';
import type { Row } from './shape.ts';
import { openConnection } from './sqlite-connection.ts';

/** Searches on a connection of the thread's own. */
export function sqliteAnswerer(file: string): Answerer {
  let endsAt = 0;
  const checkDeadline = () => {
    if (performance.now() > endsAt) throw new OutOfTime('The search was not done by its deadline.');
  };
  const connection = openConnection(file, { readOnly: true, checkDeadline });
  const prepared = recentlyUsed(64, (sql) => connection.prepare(sql));
  return ({ sql, cells, shape, deadlineMs }) => {
    endsAt = performance.now() + deadlineMs;
    return presentAsJson(shape, prepared(sql).iterate(...cells) as Iterable<Row>, checkDeadline);
  };
}
