import { useSearchParams } from 'wouter';
import {
  type Quarantined,
  useDiscardDeviceQuarantine,
  useQuarantine,
  useQuarantineCauses,
  useReleaseDeviceQuarantine,
} from '../../../api/devices.ts';
import { exactTime } from '../../../format/times.ts';
import { QuarantineCauses } from '../../../forms/quarantine-causes.tsx';
import { quarantineText } from '../../../texts/quarantine-text.ts';
import { t, textFor } from '../../../texts/t.ts';
import { Badge } from '../../../ui/badge.tsx';
import { FramedList } from '../../../ui/framed-list.tsx';
import { Stack } from '../../../ui/page.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { EmptyState, Loaded } from '../../../ui/states.tsx';
import { Ago } from '../../../ui/time.tsx';
import type { SheetProps } from '../rights.ts';
import css from './quarantine-sheet.module.css';

const PAGE = 25;

/** Implausible items that the device reported, with the reasons. */
export default function QuarantineSheet({ device, rights }: SheetProps) {
  const [search, setSearch] = useSearchParams();
  const page = Math.max(0, Number.parseInt(search.get('page') ?? '1', 10) - 1 || 0);
  const filter = { order: 'id DESC', limit: PAGE + 1, skip: page * PAGE };
  const query = useQuarantine(device.id, filter, { keepsPrevious: true });
  return (
    <Loaded query={query} lines={6}>
      {(rows) =>
        rows.length === 0 && page === 0 ? (
          <EmptyState icon="check" title={t.deviceWays.quarantineEmpty}>
            {t.deviceWays.quarantineEmptyHint}
          </EmptyState>
        ) : (
          <Stack>
            <p className={css.lead}>{t.deviceWays.quarantineLead}</p>
            <Causes id={device.id} mayManage={rights.mayManage} />
            <FramedList>
              {rows.slice(0, PAGE).map((row) => (
                <Row key={row.id} row={row} />
              ))}
            </FramedList>
            <Pager
              page={page}
              hasMore={rows.length > PAGE}
              onChange={(next) => setSearch(next === 0 ? {} : { page: String(next + 1) })}
            />
          </Stack>
        )
      }
    </Loaded>
  );
}

function Causes({ id, mayManage }: { id: number; mayManage: boolean }) {
  const { data: causes = [] } = useQuarantineCauses(id);
  const release = useReleaseDeviceQuarantine();
  const discard = useDiscardDeviceQuarantine();
  if (causes.length === 0) return null;
  return (
    <QuarantineCauses
      causes={causes}
      {...(mayManage && {
        release: (reason: string) => release.mutateAsync({ id, body: { reason } }),
        discard: (reason: string) => discard.mutateAsync({ id, body: { reason } }),
      })}
    />
  );
}

const Row = ({ row }: { row: Quarantined }) => (
  <li className={css.row}>
    <div className={css.head}>
      <Badge tone="warn">{textFor(t.deviceWays.part, row.list) ?? row.list}</Badge>
      <strong className={css.reason}>{quarantineText(row)}</strong>
      <span className={css.when} title={exactTime(row.created)}>
        <Ago time={row.created} />
      </span>
    </div>
    <details className={css.report}>
      <summary>{t.deviceWays.report}</summary>
      <pre>{JSON.stringify(row.report, null, 2)}</pre>
    </details>
  </li>
);
