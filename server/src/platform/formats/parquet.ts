import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { fileWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';

/** Parquet files: rows of named columns, written and read in row groups. */

/** The storage type of a column. A time is in milliseconds since 1970; a flag is 0 or 1 in a row. */
export type ParquetKind = 'integer' | 'number' | 'text' | 'json' | 'time' | 'flag';

export interface ParquetColumn {
  readonly name: string;
  readonly kind: ParquetKind;
}

export type ParquetRow = Readonly<Record<string, string | number | null>>;

/** About 10 MB while it is being written. */
const GROUP_ROWS = 20_000;

const TYPES = {
  integer: 'INT64',
  number: 'DOUBLE',
  text: 'STRING',
  json: 'JSON',
  time: 'TIMESTAMP',
  flag: 'BOOLEAN',
} as const;

type Value = string | number | bigint | boolean | object | null;

/** Converts a value for the library. */
const VALUES: Record<ParquetKind, (cell: string | number) => Value> = {
  integer: (cell) => BigInt(cell),
  number: Number,
  text: String,
  // The library writes it as JSON text again.
  json: (cell) => JSON.parse(String(cell)) as object,
  time: (cell) => BigInt(cell),
  flag: (cell) => cell !== 0,
};

interface ParquetFacts {
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** Streams rows to a file, with one row group in memory. */
export class ParquetFile {
  readonly #path: string;
  readonly #columns: readonly ParquetColumn[];
  readonly #writer: ParquetWriter;
  #group: Value[][];
  #rows = 0;

  constructor(path: string, columns: readonly ParquetColumn[], about: Readonly<Record<string, string>> = {}) {
    this.#path = path;
    this.#columns = columns;
    this.#group = columns.map(() => []);
    this.#writer = new ParquetWriter({
      writer: fileWriter(path),
      schema: schemaFromColumnData({
        columnData: columns.map(({ name, kind }) => ({ name, type: TYPES[kind], data: [] })),
      }),
      codec: 'ZSTD',
      compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
      kvMetadata: Object.entries(about).map(([key, value]) => ({ key, value })),
    });
  }

  async add(row: ParquetRow): Promise<void> {
    for (const [index, { name, kind }] of this.#columns.entries()) {
      const cell = row[name] ?? null;
      this.#group[index]!.push(cell === null ? null : VALUES[kind](cell));
    }
    this.#rows += 1;
    if (this.#group[0]!.length >= GROUP_ROWS) await this.#writeGroup();
  }

  async #writeGroup(): Promise<void> {
    const rowGroupSize = this.#group[0]!.length;
    if (rowGroupSize === 0) return;
    const columnData = this.#columns.map(({ name, kind }, index) => ({
      name,
      data: this.#group[index]!,
      // Slowly increasing numbers take a byte or two.
      ...((kind === 'integer' || kind === 'time') && { encoding: 'DELTA_BINARY_PACKED' as const }),
    }));
    this.#group = this.#columns.map(() => []);
    await this.#writer.write({ columnData, rowGroupSize });
  }

  /** Completes the file and flushes it to the disk. */
  async finish(): Promise<ParquetFacts> {
    await this.#writeGroup();
    await this.#writer.finish();
    const file = await open(this.#path, 'r+');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    return { rows: this.#rows, ...(await fingerprint(this.#path)) };
  }
}

/** The size and the hash of a file. */
export async function fingerprint(path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return { bytes: (await stat(path)).size, sha256: hash.digest('hex') };
}

/** The rows of a file that `ParquetFile` wrote, one row group at a time, with the original cells. */
export async function* readParquet(
  path: string,
  columns: readonly ParquetColumn[],
): AsyncGenerator<Record<string, string | number | null>[]> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    const rows = await parquetReadObjects({
      file,
      metadata,
      columns: columns.map(({ name }) => name),
      rowStart,
      rowEnd,
      compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) },
    });
    yield rows.map((row) =>
      Object.fromEntries(columns.map(({ name, kind }) => [name, cellOf(kind, row[name] as Value | Date | undefined)])),
    );
    rowStart = rowEnd;
  }
}

function cellOf(kind: ParquetKind, value: Value | Date | undefined): string | number | null {
  if (value === null || value === undefined) return null;
  if (kind === 'json') return JSON.stringify(value);
  if (kind === 'text') return String(value);
  return Number(value);
}
