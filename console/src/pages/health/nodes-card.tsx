import type { AnswerOf } from '@trackway/contract/operations.ts';
import { useRead } from '../../api/calls.ts';
import { count } from '../../format/quantities.ts';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { FramedList } from '../../ui/framed-list.tsx';
import { Card } from '../../ui/page.tsx';
import { Ago } from '../../ui/time.tsx';
import css from './undecoded-card.module.css';

type Node = AnswerOf<'listNodes'>[number];
const words = t.health.nodes;
const LOOK_MS = 5000;
/** A clock that is further off is worth a word, though nothing is decided by it. */
const CLOCK_S = 2;

/** All nodes that share the database: what runs on them, how late they are and what each does alone. */
export function NodesCard() {
  const { data: nodes = [] } = useRead('listNodes', {}, { refetchInterval: LOOK_MS });
  if (nodes.length < 2) return null;
  return (
    <Card title={words.title}>
      <FramedList label={words.title}>
        {nodes.map((node) => (
          <Row key={node.id} node={node} />
        ))}
      </FramedList>
    </Card>
  );
}

function Row({ node }: { node: Node }) {
  const { name, version, address, isThis, state, seenAt, goneAt, lag, clockAhead, reportsPerMinute, slots, owns } =
    node;
  const isUp = state === 'up';
  return (
    <li className={css.row}>
      <div className={css.head}>
        <Badge tone={isUp ? 'good' : 'danger'}>{isUp ? words.up : words.gone}</Badge>
        <strong className={css.sender}>{name}</strong>
        <span className={css.soft}>
          {[version, address, ...(isThis ? [words.isThis] : [])].filter(Boolean).join(', ')}
        </span>
      </div>
      {isUp ? (
        <div className={css.soft}>
          {[
            words.lag(lag),
            words.reports(count(reportsPerMinute)),
            ...(slots.length > 0 ? [words.slots(slots)] : []),
            ...owns.filter(({ what }) => what !== 'slots').map(({ what, count: many }) => words.owns(what, many)),
            ...(Math.abs(clockAhead) > CLOCK_S ? [words.clock(clockAhead)] : []),
          ].join(' · ')}
        </div>
      ) : (
        <div className={css.problem}>
          {words.lastSeen} <Ago time={seenAt} />, {words.goneSince} <Ago time={goneAt ?? seenAt} />
        </div>
      )}
    </li>
  );
}
