import { type Answerer, Deadline } from '../search/messages.ts';
import { presentAsJson } from '../search/result.ts';
import type { Cell } from '../shape.ts';
import { openConnection } from './connection.ts';

/** So many rows are read at once. */
const FEW = 10_000;

/** Runs searches on a connection of this thread. */
export function sqliteAnswerer(file: string, deadlineMs: number): Answerer {
  const deadline = new Deadline(deadlineMs);
  const checkDeadline = () => deadline.check();
  const connection = openConnection(file, { readOnly: true, checkDeadline });
  return (ask) => {
    const { sql, cells, most } = ask;
    deadline.restart();
    // Prepared each time: if a function ends an iteration by throwing, the statement cannot be reused.
    const statement = connection.prepare(sql);
    statement.setReturnArrays(true);
    const names = statement.columns().map(({ name }) => name);
    // All at once is quicker by a third, and takes more memory.
    const rows = most !== undefined && most <= FEW ? statement.all(...cells) : statement.iterate(...cells);
    return presentAsJson(ask, names, rows as unknown as Iterable<readonly Cell[]>, checkDeadline);
  };
}
