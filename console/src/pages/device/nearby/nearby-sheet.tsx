import { useSearchParams } from 'wouter';
import { useDevices } from '../../../api/devices.ts';
import { type GatewayReading, useGatewayReadings } from '../../../api/readings.ts';
import { exactTime } from '../../../format/times.ts';
import { useFormat } from '../../../format/use-format.ts';
import { nameOfType } from '../../../forms/reading-type.ts';
import { t } from '../../../texts/t.ts';
import { Stack } from '../../../ui/page.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { EmptyState, Loaded } from '../../../ui/states.tsx';
import { Table } from '../../../ui/table.tsx';
import { nameOf } from '../name-of.ts';
import { useLiveReadings } from '../readings/use-live-readings.ts';
import { valueInWords } from '../readings/values.ts';
import type { SheetProps } from '../rights.ts';
import { TitledList } from '../titled-list.tsx';
import { Around } from './around.tsx';
import css from './nearby-sheet.module.css';
import { Signal } from './signal.tsx';
import { Thing, type ThingNames } from './thing.tsx';

const PAGE = 50;
const FIELDS = ['id', 'deviceId', 'sensorDeviceId', 'type', 'value', 'rssi', 'timestamp'];

/** Sightings of the device: nearby tags, and all sightings in order. */
export default function NearbySheet({ device }: SheetProps) {
  const [search, setSearch] = useSearchParams();
  const page = Math.max(0, Number.parseInt(search.get('page') ?? '1', 10) - 1 || 0);
  const log = useGatewayReadings(
    device.id,
    { order: 'timestamp DESC', fields: FIELDS, limit: PAGE + 1, skip: page * PAGE },
    { keepsPrevious: true },
  );
  useLiveReadings(device.id, 'listGatewayReadings');
  const names = useNames(log.data ?? []);
  return (
    <Loaded query={log} lines={6}>
      {(rows) =>
        rows.length === 0 && page === 0 ? (
          <EmptyState icon="bluetooth" title={t.deviceReadings.heardNothing}>
            {t.deviceReadings.heardNothingHint}
          </EmptyState>
        ) : (
          <Stack>
            <p className={css.lead}>{t.deviceReadings.heardLead}</p>
            <Around deviceId={device.id} />
            <Log
              rows={rows.slice(0, PAGE)}
              names={names}
              page={page}
              hasMore={rows.length > PAGE}
              onPage={(next) => setSearch(next === 0 ? {} : { page: String(next + 1) })}
            />
          </Stack>
        )
      }
    </Loaded>
  );
}

function Log({
  rows,
  names,
  page,
  hasMore,
  onPage,
}: {
  rows: readonly GatewayReading[];
  names: ThingNames;
  page: number;
  hasMore: boolean;
  onPage: (page: number) => void;
}) {
  const format = useFormat();
  return (
    <TitledList title={t.deviceReadings.log} pager={<Pager page={page} hasMore={hasMore} onChange={onPage} />}>
      <Table
        caption={t.deviceReadings.log}
        rows={rows}
        rowKey={({ id }) => id}
        columns={[
          { key: 'thing', label: t.deviceReadings.thing, cell: (row) => <Thing reading={row} names={names} /> },
          { key: 'type', label: t.deviceReadings.ofType, cell: ({ type }) => nameOfType(type), isMinor: true },
          { key: 'value', label: t.deviceReadings.value, cell: (row) => valueInWords(row, format) },
          { key: 'signal', label: t.deviceReadings.signal, cell: ({ rssi }) => <Signal rssi={rssi} />, fits: true },
          { key: 'time', label: t.deviceReadings.time, cell: ({ timestamp }) => exactTime(timestamp), isMinor: true },
        ]}
      />
    </TitledList>
  );
}

/** The names of the sighted devices. */
function useNames(readings: readonly GatewayReading[]): ThingNames {
  const ids = [...new Set(readings.flatMap(({ deviceId }) => deviceId ?? []))].sort((one, other) => one - other);
  const filter = { where: { id: { inq: ids } }, fields: ['id', 'name'] };
  const { data } = useDevices(filter, { enabled: ids.length > 0, keepsPrevious: true });
  return new Map(data?.map((device) => [device.id, nameOf(device)]));
}
