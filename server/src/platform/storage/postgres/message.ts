import type { Writable } from 'node:stream';
import type { PoolClient, Submittable } from 'pg';
import { cellTypes } from './types.ts';

/**
 * Statements that go to PostgreSQL as one message. The driver would end each of them by a Sync, which the server answers
 * with a packet of its own, and would let the columns of each result be described each time.
 */

export interface MessageStatement {
  /** The name under which a connection prepares it; undefined where it does not. */
  readonly name: string | undefined;
  readonly text: string;
  readonly values: readonly unknown[];
}

export interface Answer {
  rows: unknown[];
  readonly command: string;
  rowCount: number | null;
}

/** The connection of the driver, as far as it is used here. */
interface DriverConnection {
  readonly stream: Writable;
  readonly parsedStatements: Record<string, string>;
  parse(statement: { name: string | undefined; text: string }): void;
  bind(portal: {
    statement: string | undefined;
    values: readonly unknown[];
    valueMapper(value: unknown): string | Buffer | null;
  }): void;
  describe(portal: { type: 'P'; name: '' }): void;
  execute(): void;
  sync(): void;
}

type Columns = readonly { readonly name: string; readonly parse: (text: string) => string | number }[];
const NO_COLUMNS: Columns = [];

/** The columns that prepared statements of a connection return. Where these would change, PostgreSQL refuses the statement. */
const described = new WeakMap<object, Map<string, Columns>>();

/** Answers all of them; or fails as the first that did, behind which none is run. */
export const sendMessage = (client: PoolClient, statements: readonly MessageStatement[]): Promise<readonly Answer[]> =>
  new Promise((resolve, reject) => {
    client.query(new Message(statements, (error, answers) => (error ? reject(error) : resolve(answers!))));
  });

/** Cells are sent as texts, bytes as they are. */
function sentValue(value: unknown): string | Buffer | null {
  if (typeof value === 'string' || value === null) return value;
  if (value === undefined) return null;
  return ArrayBuffer.isView(value) ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : String(value);
}

/** What the driver calls for what the server says. Answers come in the order of the statements. */
class Message implements Submittable {
  readonly #statements: readonly MessageStatement[];
  readonly #answers: Answer[] = [];
  #described: Map<string, Columns> | undefined;
  #columns: Columns = NO_COLUMNS;
  #rows: unknown[] = [];
  /** The driver puts its time limit around it. */
  callback: (error: Error | null, answers?: readonly Answer[]) => void;

  constructor(statements: readonly MessageStatement[], callback: Message['callback']) {
    this.#statements = statements;
    this.callback = callback;
  }

  get #current(): MessageStatement | undefined {
    return this.#statements[this.#answers.length];
  }

  /** The driver notes by these two which statement it has prepared. */
  get name(): string | undefined {
    return this.#current?.name;
  }

  get text(): string | undefined {
    return this.#current?.text;
  }

  submit(to: unknown): null {
    const connection = to as DriverConnection;
    this.#described = described.get(connection) ?? new Map();
    described.set(connection, this.#described);
    const preparedHere = new Set<string>();
    connection.stream.cork();
    try {
      for (const { name, text, values } of this.#statements) {
        if (name === undefined || (connection.parsedStatements[name] === undefined && !preparedHere.has(name)))
          connection.parse({ name, text });
        if (name !== undefined) preparedHere.add(name);
        connection.bind({ statement: name, values, valueMapper: sentValue });
        if (name === undefined || !this.#described.has(name)) connection.describe({ type: 'P', name: '' });
        connection.execute();
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
    this.#begin();
    return null;
  }

  #begin(): void {
    const { name } = this;
    this.#columns = (name === undefined ? undefined : this.#described!.get(name)) ?? NO_COLUMNS;
    this.#rows = [];
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: cellTypes.getTypeParser(dataTypeID) }));
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const row: Record<string, string | number | null> = {};
    for (let index = 0; index < fields.length; index++) {
      const { name, parse } = this.#columns[index]!;
      const text = fields[index]!;
      row[name] = text === null ? null : parse(text);
    }
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }): void {
    if (this.name !== undefined) this.#described!.set(this.name, this.#columns);
    const [command, ...counts] = text.split(' ');
    const count = counts.at(-1);
    this.#answers.push({ command: command!, rowCount: count === undefined ? null : Number(count), rows: this.#rows });
    this.#begin();
  }

  handleEmptyQuery(): void {
    this.#answers.push({ command: '', rowCount: null, rows: [] });
    this.#begin();
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#answers);
  }
}
