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
/** A larger clock difference is shown, although nothing depends on it. */
const CLOCK_S = 2;

/** All nodes that share the database: their state, delay and exclusive tasks. */
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

function ownedWords(what: string, many: number): string {
  if (!Object.hasOwn(words.owned, what)) return words.owns({ what, count: many });
  const owned = words.owned[what as keyof typeof words.owned];
  return typeof owned === 'string' ? owned : owned({ count: many });
}

/** 0, 1, 2, 5 as 0–2, 5. */
function slotRanges(numbers: readonly number[]): string {
  const texts: string[] = [];
  for (let at = 0; at < numbers.length; ) {
    let end = at;
    while (numbers[end + 1] === numbers[end]! + 1) end++;
    texts.push(end === at ? `${numbers[at]}` : `${numbers[at]}–${numbers[end]}`);
    at = end + 1;
  }
  return texts.join(', ');
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
            words.lag({ ms: lag }),
            words.reports({ count: count(reportsPerMinute) }),
            ...(slots.length > 0 ? [words.slots({ count: slots.length, ranges: slotRanges(slots) })] : []),
            ...owns.filter(({ what }) => what !== 'slots').map(({ what, count: many }) => ownedWords(what, many)),
            ...(Math.abs(clockAhead) > CLOCK_S
              ? [
                  clockAhead > 0
                    ? words.clockAhead({ seconds: clockAhead })
                    : words.clockBehind({ seconds: -clockAhead }),
                ]
              : []),
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
