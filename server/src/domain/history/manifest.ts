import { appendFile, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ParquetColumn } from '../../platform/formats/parquet.ts';
import { ARCHIVED, ARCHIVED_TABLES, type ArchivedName } from './archived-tables.ts';

/** Files of a month contain the devices of one bucket, so that queries about a device read few of them. */
const BUCKETS = 64;
export const bucketOf = (deviceId: number) => deviceId % BUCKETS;

/** The description of an archive: `manifest.json` in its folder. */

export interface ArchivedFile {
  readonly path: string;
  readonly table: ArchivedName;
  readonly month: string;
  readonly bucket: number;
  /** 1, and more where rows came after others were removed from the database. */
  readonly part: number;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly lowestId: number;
  readonly highestId: number;
  /** Whether its rows are also in the database; `removing` after an interruption. */
  readonly state: 'copied' | 'removing' | 'removed';
  readonly written: string;
}

interface ArchiveManifest {
  readonly format: 'trackway-archive';
  readonly version: 1;
  /** The program version that wrote it last. */
  readonly program: string;
  readonly updated: string;
  readonly rows: Readonly<Record<ArchivedName, number>>;
  readonly columns: Readonly<Record<ArchivedName, readonly ParquetColumn[]>>;
  readonly files: readonly ArchivedFile[];
}

/** The folder contains something else, or an archive of a newer program. */
export class NotAnArchive extends Error {}

const NAME = 'manifest.json';
/** The state of each file of a run in progress, one line each: the manifest is written once per archived month. */
const PROGRESS = 'progress.jsonl';

export class ManifestFile {
  readonly #folder: string;
  readonly #program: string;
  readonly #files: Map<string, ArchivedFile>;
  /** Files that the current or the interrupted run has processed. */
  readonly #done = new Set<string>();
  readonly isResumed: boolean;

  private constructor(folder: string, program: string, files: readonly ArchivedFile[], done: readonly ProgressLine[]) {
    this.#folder = folder;
    this.#program = program;
    this.#files = new Map(files.map((file) => [file.path, file]));
    this.isResumed = done.length > 0;
    for (const line of done) this.#apply(line);
  }

  static async open(folder: string, program: string): Promise<ManifestFile> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const text = await readIfThere(join(folder, NAME));
    const lines = (await readIfThere(join(folder, PROGRESS))) ?? '';
    return new ManifestFile(folder, program, text === undefined ? [] : filesOf(text, folder), linesOf(lines));
  }

  /** The parts of a table, month and bucket, in their order. */
  parts(table: ArchivedName, month: string, bucket: number): ArchivedFile[] {
    return this.files()
      .filter((file) => file.table === table && file.month === month && file.bucket === bucket)
      .sort((one, other) => one.part - other.part);
  }

  files(): ArchivedFile[] {
    return [...this.#files.values()];
  }

  /** Whether this run, or the one that it resumes, has dealt with a table, month and bucket. */
  isDone(unit: string): boolean {
    return this.#done.has(unit);
  }

  /** Durably records the state of a file, and that a unit is done. */
  async note(line: ProgressLine): Promise<void> {
    this.#apply(line);
    const path = join(this.#folder, PROGRESS);
    await appendFile(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    await synced(path);
  }

  #apply({ file, gone, done }: ProgressLine): void {
    if (file !== undefined) this.#files.set(file.path, file);
    if (gone !== undefined) this.#files.delete(gone);
    if (done !== undefined) this.#done.add(done);
  }

  async save(): Promise<void> {
    const files = this.files().sort((one, other) => (one.path < other.path ? -1 : 1));
    const each = <T>(of: (name: ArchivedName) => T) =>
      Object.fromEntries(ARCHIVED.map((name) => [name, of(name)])) as Record<ArchivedName, T>;
    const manifest: ArchiveManifest = {
      format: 'trackway-archive',
      version: 1,
      program: this.#program,
      updated: new Date().toISOString(),
      rows: each((name) => files.reduce((sum, file) => sum + (file.table === name ? file.rows : 0), 0)),
      columns: each((name) => ARCHIVED_TABLES[name].columns),
      files,
    };
    await replaceFile(join(this.#folder, NAME), `${JSON.stringify(manifest, null, 1)}\n`);
  }

  /** Completes the run: the next one checks everything again. */
  async end(): Promise<void> {
    await this.save();
    await rm(join(this.#folder, PROGRESS), { force: true });
    this.#done.clear();
  }
}

interface ProgressLine {
  readonly file?: ArchivedFile;
  /** The path of a replaced file. */
  readonly gone?: string;
  readonly done?: string;
}

export async function readManifest(folder: string): Promise<ArchiveManifest> {
  const text = await readIfThere(join(folder, NAME));
  if (text === undefined) throw new NotAnArchive(`There is no ${NAME} in ${folder}.`);
  filesOf(text, folder);
  return JSON.parse(text) as ArchiveManifest;
}

function filesOf(text: string, folder: string): readonly ArchivedFile[] {
  let manifest: Partial<ArchiveManifest>;
  try {
    manifest = JSON.parse(text) as Partial<ArchiveManifest>;
  } catch (error) {
    throw new NotAnArchive(`${NAME} in ${folder} cannot be read.`, { cause: error });
  }
  if (manifest.format !== 'trackway-archive') throw new NotAnArchive(`${NAME} in ${folder} is not that of an archive.`);
  if (manifest.version !== 1) throw new NotAnArchive(`The archive in ${folder} was written by a newer version.`);
  return manifest.files ?? [];
}

/** The last line may be truncated by an interruption. */
function linesOf(text: string): ProgressLine[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as ProgressLine);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
}

async function synced(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
