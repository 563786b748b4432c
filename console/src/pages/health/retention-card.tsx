import type { AnswerOf } from '@trackway/contract/operations.ts';
import { useState } from 'react';
import { useRead } from '../../api/calls.ts';
import { count } from '../../format/quantities.ts';
import { date } from '../../format/times.ts';
import { t } from '../../texts/t.ts';
import { NumberField } from '../../ui/fields/field.tsx';
import { Card } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { bytes } from './bytes.ts';
import css from './health.module.css';

type Preview = AnswerOf<'previewRetention'>;
type Removable = Preview['removed'][number];
type Days = Partial<Preview['kept']>;
const words = t.health.retention;

/** The setting of each kind; ended versions of triggers follow that of former states. */
const SETTING = {
  positions: 'keepPositions',
  thinned: 'thinAfter',
  readings: 'keepReadings',
  trips: 'keepTrips',
  notifications: 'keepNotifications',
  checkpoints: 'keepCheckpoints',
} as const satisfies Partial<Record<Removable['kind'], keyof Preview['kept']>>;
const MOST_DAYS = 36_500;

/** Retention in days, and what other values would remove. */
export function RetentionCard() {
  const [days, setDays] = useState<Days>({});
  const query = useRead('previewRetention', days, { keepsPrevious: true, staleTime: 60_000 });
  return (
    <Card title={words.title}>
      <p className={css.lead}>{words.lead}</p>
      <Loaded query={query} lines={4}>
        {({ kept, removed }) => (
          <>
            <Table
              caption={words.title}
              columns={columnsOf({ ...kept, ...days }, (name, value) => setDays({ ...days, [name]: value }))}
              rows={removed}
              rowKey={({ kind }) => kind}
            />
            {removed.every((one) => one.count === 0) && <p className={css.note}>{words.nothing}</p>}
          </>
        )}
      </Loaded>
    </Card>
  );
}

const columnsOf = (
  kept: Preview['kept'],
  change: (name: keyof Preview['kept'], days: number) => void,
): Column<Removable>[] => [
  { key: 'kind', label: words.kind, wraps: 'words', cell: ({ kind }) => words.kinds[kind] },
  {
    key: 'days',
    label: words.days,
    fits: true,
    cell: ({ kind }) => {
      if (kind === 'ruleVersions') return null;
      const name = SETTING[kind];
      return (
        <div className={css.days}>
          <NumberField
            label={`${words.kinds[kind]}: ${words.days}`}
            hidesLabel
            min={0}
            max={MOST_DAYS}
            value={kept[name]}
            onChange={(value) => change(name, Math.min(MOST_DAYS, Math.max(0, Math.round(value ?? 0))))}
          />
        </div>
      );
    },
  },
  { key: 'count', label: words.count, align: 'end', cell: (one) => count(one.count) },
  {
    key: 'bytes',
    label: words.bytes,
    align: 'end',
    isMinor: true,
    cell: (one) => (one.count === 0 ? '–' : bytes(one.bytes)),
  },
  { key: 'oldest', label: words.oldest, isMinor: true, cell: ({ oldest }) => (oldest === null ? '–' : date(oldest)) },
  { key: 'newest', label: words.newest, isMinor: true, cell: ({ newest }) => (newest === null ? '–' : date(newest)) },
];
