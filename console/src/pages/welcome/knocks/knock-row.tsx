import { type Knock, useDismissKnock } from '../../../api/trackers/knocks.ts';
import { t } from '../../../texts/t.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { problemOf } from '../../../ui/states.tsx';
import { Ago } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import css from './knocks.module.css';

const words = t.trackers.knocks;

export function KnockRow({ knock, onAdd }: { knock: Knock; onAdd: () => void }) {
  const { id, identity, protocol, address, firstAt, lastAt, count } = knock;
  const remove = useDismissKnock();
  const dismiss = async () => {
    try {
      await remove.mutateAsync({ id });
      toast({ text: words.dismissed(identity) });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  return (
    <li className={css.row}>
      <div className={css.what}>
        <div className={css.name}>
          <code className={css.identity}>{identity}</code> <Badge>{t.trackers.protocol(protocol)}</Badge>
        </div>
        <div className={css.soft}>
          {words.last} <Ago time={lastAt} />, {words.first} <Ago time={firstAt} />, {words.count(count)},{' '}
          {words.from(address)}
        </div>
      </div>
      <Button size="small" kind="primary" icon="plus" aria-label={words.addOne(identity)} onClick={onAdd}>
        {words.add}
      </Button>
      <Button
        size="small"
        kind="quiet"
        aria-label={words.dismissOne(identity)}
        isBusy={remove.isPending}
        onClick={() => void dismiss()}
      >
        {words.dismiss}
      </Button>
    </li>
  );
}
