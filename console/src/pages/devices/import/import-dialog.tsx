import { useState } from 'react';
import { call } from '../../../api/calls.ts';
import type { Device } from '../../../api/devices.ts';
import { count } from '../../../format/quantities.ts';
import { t } from '../../../texts/t.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, FieldStack } from '../../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../../ui/states.tsx';
import { words as common } from '../../../ui/words.ts';
import { changedDevices, offerUndo, Progress, type TakeBack } from '../bulk/bulk-dialog.tsx';
import { type Outcome, runAll } from '../bulk/run-all.ts';
import { CsvProblem, MOST_BYTES, readCsv } from './csv.ts';
import css from './import.module.css';
import { type ImportPlan, type PlannedRow, planImport } from './import-plan.ts';

const words = t.deviceList;
const MOST_SHOWN = 500;
const PAGE = 1000;
const TONES: Record<PlannedRow['kind'], Tone> = { create: 'good', change: 'info', same: 'plain', wrong: 'danger' };

type Doable = Extract<PlannedRow, { kind: 'create' | 'change' }>;
const isDoable = (row: PlannedRow): row is Doable => row.kind === 'create' || row.kind === 'change';

/** Takes a table of devices, shows what it would change, and changes it once the viewer agrees. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const [plan, setPlan] = useState<ImportPlan>();
  const [problem, setProblem] = useState<string>();
  const [finished, setFinished] = useState<number>();
  const [outcome, setOutcome] = useState<Outcome<Doable, TakeBack>>();
  const doable = plan?.rows.filter(isDoable) ?? [];
  const isRunning = finished !== undefined && outcome === undefined;

  const look = async (file: File | undefined) => {
    setPlan(undefined);
    setProblem(undefined);
    if (file === undefined) return;
    try {
      if (file.size > MOST_BYTES) return setProblem(words.tooLarge);
      const rows = readCsv(await file.text());
      const found = planImport(rows, await allDevices());
      if (found.isReadable) setPlan(found);
      else setProblem(words.noColumns);
    } catch (error) {
      setProblem(error instanceof CsvProblem ? words.csvProblem(count(error.line), error.reason) : problemOf(error));
    }
  };
  const start = async () => {
    setFinished(0);
    const result = await runAll(doable, write, { onProgress: setFinished });
    setOutcome(result);
    changedDevices();
    offerUndo(words.succeeded(count(result.done.length)), result.done);
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
              {words.importAction(count(doable.length))}
            </Button>
          </>
        )
      }
    >
      {outcome ? (
        <FieldStack>
          <p>{words.succeeded(count(outcome.done.length))}</p>
          <Notice tone="danger">
            {words.failed(count(outcome.failed.length))}
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
          <Field
            label={words.file}
            hint={words.fileHint}
            problem={problem}
            control={(tied) => (
              <input
                {...tied}
                type="file"
                accept=".csv,.tsv,.txt,text/csv"
                onChange={({ target }) => void look(target.files?.[0])}
              />
            )}
          />
          {plan && <Preview plan={plan} />}
        </FieldStack>
      )}
    </Dialog>
  );
}

function Preview({ plan: { rows, ignored } }: { plan: ImportPlan }) {
  const kinds = ['create', 'change', 'same', 'wrong'] as const;
  const shown = rows.filter(({ kind }) => kind !== 'same').slice(0, MOST_SHOWN);
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
      {ignored.length > 0 && <p className={css.soft}>{words.ignored(ignored.join(', '))}</p>}
      {shown.length === 0 && <p>{words.nothingToDo}</p>}
      <ul className={css.rows}>
        {shown.map((row) => (
          <li key={row.line}>
            <Badge tone={TONES[row.kind]}>{words.will[row.kind]}</Badge>
            <span className={css.soft}>
              {words.line} {row.line}
            </span>
            <strong>{row.name}</strong>
            {row.kind === 'wrong' && <span>{words.problems[row.problem]}</span>}
            {row.kind === 'change' && (
              <span>
                {row.changes.map(({ field, before, after }) => words.change(field, before, after)).join(' · ')}
              </span>
            )}
          </li>
        ))}
      </ul>
      {shown.length === MOST_SHOWN && <p className={css.soft}>{words.notAll(count(MOST_SHOWN))}</p>}
    </section>
  );
}

async function write(row: Doable): Promise<TakeBack> {
  // What was read of a table has the types of the fields, as the plan has checked.
  const body = row.values as Partial<Device>;
  if (row.kind === 'create') {
    const { id } = await call('createDevice')({ body });
    return () => call('deleteDevice')({ id });
  }
  const { id, before } = row;
  await call('updateDevice')({ id, body });
  return () => call('updateDevice')({ id, body: before as Partial<Device> });
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
