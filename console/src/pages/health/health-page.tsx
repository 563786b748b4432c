import type { AnswerOf } from '@trackway/contract/operations.ts';
import { useEffect, useState } from 'react';
import { useRead } from '../../api/calls.ts';
import { useAllQuarantineCauses, useDiscardQuarantine, useReleaseQuarantine } from '../../api/devices.ts';
import { count, duration } from '../../format/quantities.ts';
import { date, dateTime } from '../../format/times.ts';
import { QuarantineCauses } from '../../forms/quarantine-causes.tsx';
import { t } from '../../texts/t.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Card, Facts, Page, Stack } from '../../ui/page.tsx';
import { Loaded, Notice } from '../../ui/states.tsx';
import { bytes } from './bytes.ts';
import css from './health.module.css';
import { NodesCard } from './nodes-card.tsx';
import { RetentionCard } from './retention-card.tsx';
import { Tile } from './tile.tsx';
import { UndecodedCard } from './undecoded-card.tsx';

type Health = AnswerOf<'getHealth'>;
const words = t.health;
const LOOK_MS = 5000;
/** The number of samples in a sparkline: ten minutes. */
const KEPT = 120;

/** The state of the server, for admins. */
export default function HealthPage() {
  const query = useRead('getHealth', {}, { refetchInterval: LOOK_MS });
  const [course, setCourse] = useState<readonly Health[]>([]);
  const latest = query.data;
  useEffect(() => {
    if (latest) setCourse((before) => [...before, latest].slice(-KEPT));
  }, [latest]);
  const courseOf = (key: 'reportsPerMinute' | 'positionsPerMinute' | 'outboxWaiting' | 'streams') =>
    course.map((seen) => seen[key]);
  return (
    <Page title={words.title} lead={words.lead}>
      <Loaded query={query} lines={6}>
        {(now) => (
          <Stack>
            <Verdict health={now} />
            {now.clockDoubt !== null && <ClockDoubt seconds={now.clockDoubt} />}
            {now.newerVersion !== null && (
              <Notice>{words.newerVersion({ version: now.newerVersion, current: now.version })}</Notice>
            )}
            <section className={css.tiles} aria-label={words.coming}>
              <Tile
                name={words.devices}
                value={count(now.devicesOnline)}
                about={words.ofDevices({ count: count(now.devices) })}
                icon="device"
              />
              <Tile
                name={words.reports}
                value={count(now.reportsPerMinute)}
                icon="download"
                course={courseOf('reportsPerMinute')}
              />
              <Tile
                name={words.positions}
                value={count(now.positionsPerMinute)}
                icon="pin"
                course={courseOf('positionsPerMinute')}
              />
              <Tile name={words.streams} value={count(now.streams)} icon="signal" course={courseOf('streams')} />
            </section>
            <section className={css.tiles} aria-label={words.going}>
              <Tile
                name={words.waiting}
                value={count(now.outboxWaiting)}
                icon="outbox"
                course={courseOf('outboxWaiting')}
              />
              <Tile name={words.dead} value={count(now.outboxDead)} icon="warning" isBad={now.outboxDead > 0} />
              <Tile
                name={words.down}
                value={count(now.destinationsDown)}
                icon="link"
                isBad={now.destinationsDown > 0}
              />
              <Tile name={words.users} value={count(now.users)} icon="users" />
            </section>
            <Card title={words.process}>
              <Facts
                facts={[
                  [words.node, now.node],
                  [words.version, now.version],
                  [words.uptime, duration(now.uptime)],
                  [words.since, dateTime(now.startedAt)],
                  [words.engine, words.engines[now.engine]],
                  [words.size, bytes(now.databaseBytes)],
                  [words.memory, bytes(now.memoryBytes)],
                  ...disk(now),
                  ...growth(now),
                ]}
              />
              <p className={css.note}>{words.metrics}</p>
            </Card>
            <NodesCard />
            <RetentionCard />
            <Quarantine />
            <UndecodedCard />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function ClockDoubt({ seconds }: { seconds: number }) {
  const span = duration(Math.abs(seconds));
  return <Notice tone="danger">{(seconds > 0 ? t.quarantine.clockBehind : t.quarantine.clockAhead)({ span })}</Notice>;
}

/** Quarantined items of all users, by cause. */
function Quarantine() {
  const { data: causes = [] } = useAllQuarantineCauses();
  const release = useReleaseQuarantine();
  const discard = useDiscardQuarantine();
  if (causes.length === 0) return null;
  return (
    <Card title={t.quarantine.title}>
      <QuarantineCauses
        causes={causes}
        release={(reason) => release.mutateAsync({ body: { reason } })}
        discard={(reason) => discard.mutateAsync({ body: { reason } })}
      />
    </Card>
  );
}

function disk({ diskFree, diskTotal }: Health): [string, string][] {
  if (diskFree === undefined || diskTotal === undefined) return [];
  return [[words.diskFree, words.ofDisk({ free: bytes(diskFree), total: bytes(diskTotal) })]];
}

function growth({ bytesPerDay, diskFullOn }: Health): [string, string][] {
  if (bytesPerDay === null) return [];
  return [
    [words.growth, words.aDay({ perDay: bytes(Math.max(0, bytesPerDay)) })],
    ...(diskFullOn === null ? [] : ([[words.diskFullOn, date(diskFullOn)]] as [string, string][])),
  ];
}

function Verdict({ health: { problems, destinationsDown, outboxDead } }: { health: Health }) {
  const toOutbox = (
    <ButtonLink href="/outbox?whose=all" size="small">
      {words.toOutbox}
    </ButtonLink>
  );
  const [worst] = [...problems].sort((a, b) => Number(a.isWarning) - Number(b.isWarning));
  if (worst) return <Notice tone={worst.isWarning ? 'warn' : 'danger'}>{worst.sentence}</Notice>;
  if (destinationsDown > 0)
    return (
      <Notice tone="danger" action={toOutbox}>
        {words.someDown({ count: destinationsDown })}
      </Notice>
    );
  if (outboxDead > 0)
    return (
      <Notice tone="warn" action={toOutbox}>
        {words.someDead({ count: outboxDead })}
      </Notice>
    );
  return <Notice tone="good">{words.allWell}</Notice>;
}
