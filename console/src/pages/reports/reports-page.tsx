import { FLEET_REPORTS, type FleetReportKind } from '@trackway/contract/resources/fleet-report.ts';
import { BY_DAYS } from '@trackway/contract/resources/fleet-tools/saved-report.ts';
import { useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import { type FleetReportBody, readReportFile, useFleetReport } from '../../api/reports/reports.ts';
import { dates, dayKey, ZONE } from '../../format/times.ts';
import { useFormat } from '../../format/use-format.ts';
import { scales } from '../../forms/trigger-units.ts';
import { LANGUAGE } from '../../language.ts';
import { t } from '../../texts/t.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { NumberField, SelectField } from '../../ui/fields/field.tsx';
import { FilterBar, useIsPhone } from '../../ui/fields/filter-bar.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page, Stack } from '../../ui/page.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Loaded, problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { choiceIn, devicesIn } from './choice.ts';
import { type PeriodRange, problemOfDays, rangeOfDays, rangeOfPeriod } from './period.ts';
import { PickDevices } from './pick-devices.tsx';
import { PickFences } from './pick-fences.tsx';
import { PickPeriod } from './pick-period.tsx';
import { HAS_FENCES, HAS_LIMIT } from './report-places.ts';
import { ReportRows } from './report-rows.tsx';
import css from './reports.module.css';
import { SavedForm } from './saved/saved-form.tsx';

const words = t.reports;
const NO_FILTERS = {
  ...{ period: undefined, from: undefined, to: undefined },
  ...{ device: undefined, group: undefined, tag: undefined, fences: undefined, limit: undefined },
};

/** A report for a period. Its parameters are in the address, so that it can be bookmarked. */
export default function ReportsPage() {
  const [search, setSearch] = useSearchParams();
  const choice = choiceIn(search);
  const { kind, period, days, deviceId, groupId, tag, limit, fenceIds } = choice;
  const isPhone = useIsPhone();
  const choose = (values: Readonly<Record<string, string | number | undefined>>) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      for (const [name, value] of Object.entries(values))
        if (value === undefined) next.delete(name);
        else next.set(name, String(value));
      return next;
    });
  const [firstDay, lastDay] = [days?.from, days?.to];
  const problem = days && problemOfDays(days);
  // The same range until midnight, so that the report is requested once.
  const today = dayKey(Date.now());
  // biome-ignore lint/correctness/useExhaustiveDependencies: The day decides, not the moment.
  const range = useMemo(
    () =>
      firstDay !== undefined && lastDay !== undefined
        ? rangeOfDays({ from: firstDay, to: lastDay })
        : rangeOfPeriod(period, new Date()),
    [period, firstDay, lastDay, today],
  );
  const body: FleetReportBody = {
    kind,
    ...{ from: range.from.toISOString(), to: range.to.toISOString(), tz: ZONE },
    ...devicesIn(choice),
    ...(limit !== undefined && { limit }),
    ...(fenceIds && { fenceIds }),
  };
  const { speed } = scales(useFormat().units);
  const query = useFleetReport(body, { keepsPrevious: true, enabled: problem === undefined });
  const [isSaving, setSaving] = useState(false);
  const isEmpty = !query.data || query.data.rows.length === 0;
  const kinds = (
    <SelectField<FleetReportKind>
      label={words.kind}
      hidesLabel={isPhone}
      value={kind}
      onChange={(value) => choose({ kind: value })}
      choices={FLEET_REPORTS.map((value) => ({ value, label: t.reportWords.kinds[value] }))}
    />
  );
  return (
    <Page
      title={words.title}
      lead={isPhone ? problem === undefined && dates(range.from, range.to.getTime() - 1) : words.lead}
      width="full"
      actions={
        <>
          <Button icon="plus" shrinks disabled={problem !== undefined} onClick={() => setSaving(true)}>
            {t.savedReports.saveButton}
          </Button>
          <ButtonLink href="/reports/saved" icon="docs" shrinks>
            {t.savedReports.title}
          </ButtonLink>
          <Takers body={body} name={`${t.reportWords.kinds[kind]} ${daysOf(range)}`} isEmpty={isEmpty} />
        </>
      }
    >
      <Stack>
        <div className={css.choices}>
          {isPhone && kinds}
          <FilterBar
            count={[days ?? period !== 'week', deviceId ?? groupId ?? tag, fenceIds, limit].filter(Boolean).length}
            onClear={() => choose(NO_FILTERS)}
          >
            {!isPhone && kinds}
            <PickPeriod
              chosen={choice}
              problem={problem}
              onChange={(next) => choose({ period: next.period, from: next.days?.from, to: next.days?.to })}
            />
            <PickDevices
              chosen={choice}
              onChange={({ deviceId: device, groupId: group, tag }) => choose({ device, group, tag })}
            />
            {HAS_FENCES.has(kind) && (
              <PickFences
                kind={kind}
                chosen={fenceIds ?? []}
                onChange={(ids) => choose({ fences: ids.length === 0 ? undefined : ids.join(',') })}
              />
            )}
            {HAS_LIMIT.has(kind) && (
              <NumberField
                label={words.limit}
                hint={words.limitHint}
                unit={speed.unit}
                min={1}
                max={Math.floor(speed.shown(1000))}
                value={limit === undefined ? null : speed.shown(limit)}
                onChange={(value) => choose({ limit: value === null ? undefined : speed.kept(value) })}
              />
            )}
          </FilterBar>
        </div>
        {isSaving && (
          <SavedForm
            report={{
              name: t.reportWords.kinds[kind],
              kind,
              ...(days ? { period: BY_DAYS, firstDay: days.from, lastDay: days.to } : { period }),
              ...devicesIn(choice),
              ...(limit && { limit }),
              ...(fenceIds && { fenceIds }),
            }}
            onClose={() => setSaving(false)}
          />
        )}
        {problem === undefined && (
          <Loaded query={query} lines={8}>
            {(report) => <ReportRows report={report} />}
          </Loaded>
        )}
      </Stack>
    </Page>
  );
}

const FILES = [
  { format: 'csv', label: words.csv, type: 'text/csv;charset=utf-8' },
  {
    format: 'xlsx',
    label: words.xlsx,
    type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  },
  { format: 'pdf', label: words.pdf, type: 'application/pdf' },
] as const;

/** Part of the file name: the day, or the first and the last. */
function daysOf({ from, to }: PeriodRange): string {
  const [first, last] = [dayKey(from), dayKey(to.getTime() - 1)];
  return first === last ? first : `${first} – ${last}`;
}

function Takers({ body, name, isEmpty }: { body: FleetReportBody; name: string; isEmpty: boolean }) {
  const save = async ({ format, type }: (typeof FILES)[number]) => {
    try {
      saveFile(`${name}.${format}`, type, await readReportFile({ ...body, format, language: LANGUAGE }));
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  return (
    <Menu
      label={words.export}
      items={[
        ...FILES.map((file) => ({ label: file.label, icon: 'download' as const, onPress: () => void save(file) })),
        { label: words.print, icon: 'list' as const, begins: true, onPress: () => print() },
      ]}
      button={(props) => (
        <Button icon="download" shrinks disabled={isEmpty} {...props}>
          {words.export}
        </Button>
      )}
    />
  );
}
