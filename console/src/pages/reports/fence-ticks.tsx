import type { FleetReportKind } from '@trackway/contract/resources/fleet-report.ts';
import { useState } from 'react';
import { useGeofences } from '../../api/geofences.ts';
import { t } from '../../texts/t.ts';
import { SearchField } from '../../ui/fields/search-field.tsx';
import { Ticks } from '../../ui/fields/ticks.tsx';

const words = t.savedReports;
/** Maximum number of geofences in a report. */
const MOST_FENCES = 1000;
/** Longer lists have a search field. */
const MOST_SEEN = 12;

/** The selected geofences: none means all, or everywhere. */
export function FenceTicks({
  kind,
  chosen,
  onChange,
}: {
  kind: FleetReportKind;
  chosen: readonly number[];
  onChange: (chosen: readonly number[]) => void;
}) {
  const [text, setText] = useState('');
  const fences = useGeofences({ order: 'name ASC', fields: ['id', 'name'], limit: MOST_FENCES }).data ?? [];
  if (fences.length === 0) return null;
  const named = fences.map(({ id, name }) => ({ value: id, label: name || t.reportWords.unnamedFence({ id }) }));
  const wanted = text.trim().toLocaleLowerCase();
  return (
    <>
      {fences.length > MOST_SEEN && <SearchField label={t.reports.findFence} value={text} onChange={setText} />}
      <Ticks<number>
        legend={words.fences}
        hint={kind === 'visits' ? words.fencesHint : words.everywhereHint}
        choices={named.filter(({ label }) => label.toLocaleLowerCase().includes(wanted))}
        chosen={chosen}
        onChange={onChange}
      />
    </>
  );
}
