import { useMemo, useState } from 'react';
import { call } from '../../../api/calls.ts';
import { isRefusal } from '../../../api/client.ts';
import type { Device } from '../../../api/devices.ts';
import { devices as fleet } from '../../../api/live/fleet.ts';
import { ME } from '../../../api/many/groups.ts';
import { count } from '../../../format/quantities.ts';
import { t } from '../../../texts/t.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FieldStack, Field as Labelled, SelectField } from '../../../ui/fields/field.tsx';
import { Checkbox } from '../../../ui/fields/switch.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { Notice, problemOf } from '../../../ui/states.tsx';
import { words as common } from '../../../ui/words.ts';
import { changedDevices, offerUndo, Progress, type TakeBack } from '../bulk/bulk-dialog.tsx';
import { type Outcome, runAll } from '../bulk/run-all.ts';
import { FIELDS, type Field, guessColumns, type Table, tableOf } from './columns.ts';
import { MOST_BYTES, TableProblem, writeCsv } from './csv.ts';
import css from './import.module.css';
import { type Known, type PlannedRow, planImport } from './import-plan.ts';
import { readTable } from './read-table.ts';

const words = t.deviceList;
const MOST_SHOWN = 500;
const MOST_RUNS = 12;
const PAGE = 1000;
const TONES: Record<PlannedRow['kind'], Tone> = { create: 'good', change: 'info', same: 'plain', wrong: 'danger' };

type Doable = Extract<PlannedRow, { kind: 'create' | 'change' }>;
interface Named {
  readonly id: number;
  readonly name: string;
}
const isDoable = (row: PlannedRow): row is Doable => row.kind === 'create' || row.kind === 'change';

interface Opened {
  readonly table: Table;
  readonly columns: readonly (Field | undefined)[];
  readonly devices: readonly Known[];
}

/** Takes a table of devices, shows what it would change, and changes it once the viewer agrees. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const [opened, setOpened] = useState<Opened>();
  const [allowsKeyless, setAllows] = useState(true);
  const rows = useMemo(
    () => (opened ? planImport(opened.table.rows, opened.columns, opened.devices, { allowsKeyless }) : []),
    [opened, allowsKeyless],
  );
  const [problem, setProblem] = useState<string>();
  const [finished, setFinished] = useState<number>();
  const [outcome, setOutcome] = useState<Outcome<Doable, TakeBack>>();
  const hasColumns = opened?.columns.some((field) => field !== undefined) === true;
  const doable = hasColumns ? rows.filter(isDoable) : [];
  const isRunning = finished !== undefined && outcome === undefined;

  const look = async (file: File | undefined) => {
    setOpened(undefined);
    setProblem(undefined);
    if (file === undefined) return;
    if (file.size > MOST_BYTES) return setProblem(words.tooLarge);
    try {
      const table = tableOf(await readTable(file));
      setOpened({ table, columns: guessColumns(table.headings), devices: await knownDevices() });
    } catch (error) {
      if (error instanceof TableProblem) setProblem(words.csvProblems[error.reason]({ line: count(error.line) }));
      else setProblem(isRefusal(error) ? problemOf(error) : words.unreadable);
    }
  };
  const start = async () => {
    setFinished(0);
    const related = new Related();
    const result = await runAll(doable, (row) => write(row, related), { onProgress: setFinished });
    setOutcome(result);
    changedDevices();
    offerUndo(words.succeeded({ count: result.done.length }), result.done);
    if (result.failed.length === 0) onClose();
  };
  return (
    <Dialog
      title={words.import}
      width="wide"
      onClose={() => !isRunning && onClose()}
      onSubmit={() => void start()}
      actions={
        outcome ? (
          <Button onClick={onClose}>{words.close}</Button>
        ) : (
          <>
            <Button onClick={onClose} disabled={isRunning}>
              {common.cancel}
            </Button>
            <Button kind="primary" type="submit" isBusy={isRunning} disabled={doable.length === 0}>
              {words.importAction({ count: doable.length })}
            </Button>
          </>
        )
      }
    >
      {outcome ? (
        <FieldStack>
          <p>{words.succeeded({ count: outcome.done.length })}</p>
          <Notice tone="danger">
            {words.failed({ count: outcome.failed.length })}
            <ul className={css.failures}>
              {outcome.failed.map(({ item, error }) => (
                <li key={item.line}>
                  {words.line} {item.line}, {item.name}: {problemOf(error)}
                </li>
              ))}
            </ul>
          </Notice>
        </FieldStack>
      ) : isRunning ? (
        <Progress finished={finished} all={doable.length} />
      ) : (
        <FieldStack>
          <Labelled
            label={words.file}
            hint={words.fileHint}
            problem={problem}
            control={(tied) => (
              <input
                {...tied}
                type="file"
                accept=".xlsx,.csv,.tsv,.txt,text/csv"
                onChange={({ target }) => void look(target.files?.[0])}
              />
            )}
          />
          {opened === undefined ? (
            <div>
              <Button size="small" icon="download" onClick={saveTemplate}>
                {words.template}
              </Button>
            </div>
          ) : (
            <>
              <Columns opened={opened} onChange={(columns) => setOpened({ ...opened, columns })} />
              <Checkbox label={words.mayReport} hint={words.mayReportHint} isOn={allowsKeyless} onChange={setAllows} />
              {hasColumns ? <Preview rows={rows} /> : <Notice tone="warn">{words.noColumns}</Notice>}
            </>
          )}
        </FieldStack>
      )}
    </Dialog>
  );
}

/** What each column contains: guessed from its heading, and chosen by the viewer. */
function Columns({
  opened: { table, columns },
  onChange,
}: {
  opened: Opened;
  onChange: (columns: (Field | undefined)[]) => void;
}) {
  const choose = (at: number, field: Field | undefined) =>
    onChange(
      table.headings.map((_, index) => (index === at ? field : columns[index] === field ? undefined : columns[index])),
    );
  return (
    <section aria-label={words.columnContents}>
      <h3>{words.columnContents}</h3>
      <div className={css.columns}>
        {table.headings.map((heading, at) => (
          <SelectField<Field | ''>
            // biome-ignore lint/suspicious/noArrayIndexKey: Columns stay where they are, and headings can be the same.
            key={at}
            label={heading || words.noHeading}
            hint={table.rows.find(({ cells }) => cells[at])?.cells[at]?.slice(0, 40)}
            value={columns[at] ?? ''}
            onChange={(field) => choose(at, field || undefined)}
            choices={[
              { value: '', label: words.ignoreColumn },
              ...FIELDS.map((value) => ({ value, label: words.fields[value] })),
            ]}
          />
        ))}
      </div>
    </section>
  );
}

/** One line for each kind of error, with the rows that have it. */
function Problems({ rows }: { rows: readonly PlannedRow[] }) {
  const wrong = Map.groupBy(
    rows.filter((row) => row.kind === 'wrong'),
    ({ problem }) => problem,
  );
  return [...wrong].map(([problem, some]) => (
    <Notice key={problem} tone="danger">
      {words.problems[problem]} (
      {words.affected({ count: some.length, lines: linesText(some.map(({ line }) => line)) })})
    </Notice>
  ));
}

function Preview({ rows }: { rows: readonly PlannedRow[] }) {
  const kinds = ['create', 'change', 'same', 'wrong'] as const;
  const shown = rows.filter(isDoable).slice(0, MOST_SHOWN);
  return (
    <section aria-label={words.preview}>
      <h3>{words.preview}</h3>
      <p className={css.sums}>
        {kinds.map((kind) => (
          <Badge key={kind} tone={TONES[kind]}>
            {words.will[kind]}: {count(rows.filter((row) => row.kind === kind).length)}
          </Badge>
        ))}
      </p>
      <Problems rows={rows} />
      {shown.length === 0 && <p>{words.nothingToDo}</p>}
      <ul className={css.rows}>
        {shown.map((row) => (
          <li key={row.line}>
            <Badge tone={TONES[row.kind]}>{words.will[row.kind]}</Badge>
            <span className={css.soft}>
              {words.line} {row.line}
            </span>
            <strong>{row.name}</strong>
            {row.kind === 'change' && (
              <span>
                {row.changes
                  .map(({ field, before, after }) => words.change({ field: words.fields[field], before, after }))
                  .join(' · ')}
              </span>
            )}
          </li>
        ))}
      </ul>
      {shown.length === MOST_SHOWN && <p className={css.soft}>{words.notAll({ count: count(MOST_SHOWN) })}</p>}
    </section>
  );
}

/** What rows create besides their own values. A row is repeated from its start if requests are rejected as too many. */
class Related {
  readonly #found = new Map<string, Promise<number>>();
  readonly #devices = new Map<number, number>();
  #groups: Promise<readonly Named[]> | undefined;
  #drivers: Promise<readonly Named[]> | undefined;

  group(name: string): Promise<number> {
    this.#groups ??= call('listDeviceGroups')({ id: ME, filter: { limit: 10_000 } });
    return this.#idOf(this.#groups, name, () => call('createDeviceGroup')({ id: ME, body: { name } }));
  }

  driver(name: string): Promise<number> {
    this.#drivers ??= call('listDrivers')({ id: ME, filter: { limit: 1000 } });
    return this.#idOf(this.#drivers, name, () => call('createDriver')({ id: ME, body: { name } }));
  }

  #idOf(known: Promise<readonly Named[]>, name: string, create: () => Promise<Named>): Promise<number> {
    const key = `${known === this.#groups} ${name.toLowerCase()}`;
    const find = async () => {
      const found = (await known).find((one) => one.name.toLowerCase() === name.toLowerCase());
      return (found ?? (await create())).id;
    };
    const id = this.#found.get(key) ?? find();
    this.#found.set(key, id);
    // Also if the lists could not be read.
    id.catch(() => {
      this.#found.delete(key);
      this.#groups = this.#drivers = undefined;
    });
    return id;
  }

  /** The device of a row: created once. */
  async device(line: number, body: Partial<Device>): Promise<number> {
    const id = this.#devices.get(line) ?? (await call('createDevice')({ body })).id;
    this.#devices.set(line, id);
    return id;
  }
}

async function write(row: Doable, related: Related): Promise<TakeBack> {
  // What was read of a table has the types of the fields, as the plan has checked.
  const body = row.values as Partial<Device>;
  const [fk, driverId] = await Promise.all([
    row.group === undefined ? undefined : related.group(row.group),
    row.driver === undefined ? undefined : related.driver(row.driver),
  ]);
  const id = row.kind === 'create' ? await related.device(row.line, body) : row.id;
  if (row.kind === 'change' && Object.keys(body).length > 0) await call('updateDevice')({ id, body });
  if (row.plate !== undefined) await call('updateVehicle')({ id, body: { plate: row.plate } });
  const grouped = fk === undefined ? undefined : { id: ME, fk, body: { ids: [id] } };
  if (grouped) await call('addDeviceGroupDevices')(grouped);
  const driverBefore = driverId === undefined ? null : (await call('getDeviceDriver')({ id })).driverId;
  if (driverId !== undefined && driverId !== driverBefore) await call('signOnDriver')({ id, body: { driverId } });
  if (row.kind === 'create') return () => call('deleteDevice')({ id });
  const { before, plateBefore } = row;
  return async () => {
    if (Object.keys(before).length > 0) await call('updateDevice')({ id, body: before as Partial<Device> });
    if (row.plate !== undefined) await call('updateVehicle')({ id, body: { plate: plateBefore } });
    if (grouped) await call('removeDeviceGroupDevices')(grouped);
    if (driverId === undefined || driverId === driverBefore) return;
    if (driverBefore === null) await call('signOffDriver')({ id });
    else await call('signOnDriver')({ id, body: { driverId: driverBefore } });
  };
}

function saveTemplate(): void {
  const heads = FIELDS.filter((field) => field !== 'id');
  saveFile('trackway.csv', 'text/csv', `\uFEFF${writeCsv([heads.map((field) => words.fields[field])])}`);
}

/** 2, 4–6 */
function linesText(lines: readonly number[]): string {
  const runs: [first: number, last: number][] = [];
  for (const line of lines) {
    const run = runs.at(-1);
    if (run?.[1] === line - 1) run[1] = line;
    else runs.push([line, line]);
  }
  const shown = runs.slice(0, MOST_RUNS).map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
  return shown.join(', ') + (runs.length > MOST_RUNS ? ' …' : '');
}

async function knownDevices(): Promise<Known[]> {
  const [devices, groups, members] = await Promise.all([
    allDevices(),
    call('listDeviceGroups')({ id: ME, filter: { limit: 10_000 } }),
    call('listGroupMembers')({ id: ME }),
  ]);
  const nameOf = new Map(groups.map(({ id, name }) => [id, name]));
  const byDevice = Map.groupBy(members, ({ deviceId }) => deviceId);
  return devices.map((device) => ({
    ...device,
    plate: fleet.get(device.id)?.plate ?? null,
    groups: (byDevice.get(device.id) ?? []).map(({ groupId }) => nameOf.get(groupId) ?? ''),
  }));
}

async function allDevices(): Promise<Device[]> {
  const all: Device[] = [];
  for (;;) {
    const where = { id: { gt: all.at(-1)?.id ?? 0 } };
    const page = await call('listDevices')({ filter: { where, order: 'id ASC', limit: PAGE } });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}
