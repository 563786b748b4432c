import type { useOwnMessages } from '../../api/outbox.ts';
import { count } from '../../format/quantities.ts';
import { t } from '../../texts/t.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Facts } from '../../ui/page.tsx';
import { TargetCard } from '../../ui/target-card.tsx';
import { kindName, targetName } from './target-name.ts';

const words = t.outbox;

/** The viewer's queued and failed messages at a server of the operator, which is not a destination of a user. */
export function OwnMessages({ kind, target, waiting, dead }: ReturnType<typeof useOwnMessages>[number]) {
  return (
    <TargetCard
      kind={kindName(kind)}
      badges={null}
      target={targetName({ kind, target })}
      actions={
        <ButtonLink size="small" kind="quiet" href="/outbox/deliveries">
          {words.look}
        </ButtonLink>
      }
    >
      <Facts
        facts={[
          [words.waiting, count(waiting)],
          [words.dead, count(dead)],
        ]}
      />
    </TargetCard>
  );
}
