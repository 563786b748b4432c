import { type Answerer, OutOfTime } from '../search/messages.ts';
import { presentAsJson } from '../search/result.ts';
import type { Row } from '../shape.ts';
import { openConnection } from './connection.ts';

/** Runs searches on a connection of this thread. */
export function sqliteAnswerer(file: string, deadlineMs: number): Answerer {
  let endsAt = 0;
  const checkDeadline = () => {
    if (performance.now() > endsAt) throw new OutOfTime('The search was not done by its deadline.');
  };
  const connection = openConnection(file, { readOnly: true, checkDeadline });
  return (ask) => {
    const { sql, cells } = ask;
    endsAt = performance.now() + deadlineMs;
    // Prepared each time: if a function ends an iteration by throwing, the statement cannot be reused.
    return presentAsJson(ask, connection.prepare(sql).iterate(...cells) as Iterable<Row>, checkDeadline);
  };
}
