import { type UnknownTracker, useDismissUnknownTracker } from '../../../api/trackers/unknown-trackers.ts';
import { protocolName } from '../../../format/protocol-name.ts';
import { t } from '../../../texts/t.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { problemOf } from '../../../ui/states.tsx';
import { Ago } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import css from './unknown-trackers.module.css';

const words = t.trackers.unknown;

export function UnknownTrackerRow({
  unknownTracker,
  onAdd,
  onAllow,
}: {
  unknownTracker: UnknownTracker;
  onAdd: () => void;
  /** For a tracker that is already a device. */
  onAllow: () => Promise<void>;
}) {
  const { id, deviceId, deviceName, identity, protocol, address, firstAt, lastAt, count } = unknownTracker;
  const remove = useDismissUnknownTracker();
  const dismiss = async () => {
    try {
      await remove.mutateAsync({ id });
      toast({ text: words.dismissed({ identity }) });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  const name = deviceId == null ? undefined : deviceName || t.device.unnamed({ id: deviceId });
  const allow = async (allowed: string) => {
    try {
      await onAllow();
      toast({ text: words.allowed({ name: allowed }), tone: 'good' });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  return (
    <li className={css.row}>
      <div className={css.what}>
        <div className={css.name}>
          <code className={css.identity}>{identity}</code> <Badge>{protocolName(protocol)}</Badge>
        </div>
        <div className={css.soft}>
          {words.last} <Ago time={lastAt} />
          {count > 1 && (
            <>
              {' · '}
              {words.first} <Ago time={firstAt} /> · {words.count({ count })}
            </>
          )}
          {' · '}
          {words.from({ address })}
        </div>
        {name !== undefined && <div>{words.thisIs({ name })}</div>}
      </div>
      {name === undefined ? (
        <Button size="small" kind="primary" icon="plus" aria-label={words.addOne({ identity })} onClick={onAdd}>
          {words.add}
        </Button>
      ) : (
        <Button size="small" kind="primary" aria-label={words.allowOne({ name })} onClick={() => void allow(name)}>
          {words.allow}
        </Button>
      )}
      <Button
        size="small"
        kind="quiet"
        aria-label={words.dismissOne({ identity })}
        isBusy={remove.isPending}
        onClick={() => void dismiss()}
      >
        {words.dismiss}
      </Button>
    </li>
  );
}
