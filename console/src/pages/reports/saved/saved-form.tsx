import {
  type FleetReportKind,
  REPORT_FILES,
  type ReportColumn,
  type ReportFileFormat,
} from '@trackway/contract/resources/fleet-report.ts';
import { BY_DAYS, REPORT_TURNS, type ReportTurn } from '@trackway/contract/resources/fleet-tools/saved-report.ts';
import { useState } from 'react';
import {
  type SavedReport,
  type SavedReportBody,
  useCreateSavedReport,
  useUpdateSavedReport,
} from '../../../api/reports/saved-reports.ts';
import { LOCALE } from '../../../format/locale.ts';
import { ZONE } from '../../../format/times.ts';
import { t } from '../../../texts/t.ts';
import { NumberField, SelectField, TextField } from '../../../ui/fields/field.tsx';
import { Ticks } from '../../../ui/fields/ticks.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { toast } from '../../../ui/toast.tsx';
import { FenceTicks } from '../fence-ticks.tsx';
import { type DayRange, problemOfDays } from '../period.ts';
import { PickDays } from '../pick-period.tsx';
import { HAS_FENCES } from '../report-places.ts';
import { columnsOf, labelOf } from '../report-table.ts';

const words = t.savedReports;
/** Starting with Monday; 1 June 2026 was a Monday. */
const WEEKDAYS = [1, 2, 3, 4, 5, 6, 0];
export const weekdayName = (weekday: number) =>
  new Intl.DateTimeFormat(LOCALE, { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2026, 4, 31 + weekday));

/** Saves a report under a name, with an optional mail schedule. */
export function SavedForm({
  report,
  saved,
  onClose,
}: {
  /** The parameters of the report, or of the saved one. */
  report: Pick<SavedReportBody, 'period' | 'firstDay' | 'lastDay' | 'deviceIds' | 'groupId' | 'tag' | 'limit'> & {
    name: string;
    kind: FleetReportKind;
    fenceIds?: number[] | null;
  };
  saved?: SavedReport;
  onClose: () => void;
}) {
  const create = useCreateSavedReport();
  const update = useUpdateSavedReport();
  const [name, setName] = useState(saved?.name ?? report.name);
  const [format, setFormat] = useState<ReportFileFormat>(saved?.format ?? 'xlsx');
  const [every, setEvery] = useState<ReportTurn>(saved?.every ?? 'never');
  const [time, setTime] = useState(saved?.time ?? '07:00');
  const [weekday, setWeekday] = useState(saved?.weekday ?? 1);
  const [monthday, setMonthday] = useState<number | null>(saved?.monthday ?? 1);
  const [recipients, setRecipients] = useState((saved?.recipients ?? []).join(', '));
  const all = columnsOf(report.kind);
  const [columns, setColumns] = useState<readonly string[]>(saved?.columns ?? all);
  const [fenceIds, setFenceIds] = useState<readonly number[]>(report.fenceIds ?? []);
  const [days, setDays] = useState<DayRange | undefined>(
    report.period === BY_DAYS && report.firstDay && report.lastDay
      ? { from: report.firstDay, to: report.lastDay }
      : undefined,
  );
  const problem = days && problemOfDays(days);
  const save = async () => {
    const timeZone = saved?.timeZone ?? ZONE;
    const addresses = recipients.split(/[\s,;]+/).filter(Boolean);
    const plan = {
      recipients: addresses.length === 0 ? null : addresses,
      ...{ name: name.trim(), format, every, time, weekday, monthday: monthday ?? 1, timeZone },
      ...(days && { firstDay: days.from, lastDay: days.to }),
      // All columns, including ones that the report kind gets later.
      columns: columns.length === all.length ? null : all.filter((column) => columns.includes(column)),
      ...(HAS_FENCES.has(report.kind) && { fenceIds: fenceIds.length === 0 ? null : [...fenceIds] }),
    };
    try {
      if (saved) await update.mutateAsync({ id: 'me', fk: saved.id, body: plan });
      else await create.mutateAsync({ id: 'me', body: { ...report, ...plan } });
      toast({ text: words.saved({ name: name.trim() }), tone: 'good' });
      onClose();
    } catch {
      // The dialog shows the error.
    }
  };
  return (
    <FormDialog
      title={saved ? words.change : words.save}
      action={words.saveButton}
      error={create.error ?? update.error}
      isBusy={create.isPending || update.isPending}
      isReady={name.trim() !== '' && columns.length > 0 && problem === undefined}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <TextField label={words.name} value={name} onChange={setName} maxLength={100} required />
      {days ? (
        <PickDays days={days} problem={problem} onChange={setDays} />
      ) : (
        <SelectField<ReportTurn>
          label={words.every}
          value={every}
          onChange={setEvery}
          choices={REPORT_TURNS.map((value) => ({ value, label: words.turns[value] }))}
        />
      )}
      {every === 'week' && (
        <SelectField
          label={words.weekday}
          value={String(weekday)}
          onChange={(value) => setWeekday(Number(value))}
          choices={WEEKDAYS.map((value) => ({ value: String(value), label: weekdayName(value) }))}
        />
      )}
      {every === 'month' && (
        <NumberField label={words.monthday} min={1} max={28} step={1} value={monthday} onChange={setMonthday} />
      )}
      {every !== 'never' && <TextField label={words.time} type="time" value={time} onChange={setTime} required />}
      <TextField label={words.recipients} hint={words.recipientsHint} value={recipients} onChange={setRecipients} />
      <SelectField<ReportFileFormat>
        label={words.format}
        value={format}
        onChange={setFormat}
        choices={REPORT_FILES.map((value) => ({ value, label: value.toUpperCase() }))}
      />
      <Ticks<string>
        legend={words.columns}
        choices={all.map((value) => ({ value, label: labelOf(report.kind, value as ReportColumn) }))}
        chosen={columns}
        onChange={setColumns}
      />
      {HAS_FENCES.has(report.kind) && <FenceTicks kind={report.kind} chosen={fenceIds} onChange={setFenceIds} />}
    </FormDialog>
  );
}
