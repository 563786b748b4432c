import { useState } from 'react';
import { type Share, useDeleteShare, useShares, useUpdateShare } from '../../../api/shares.ts';
import { date } from '../../../format/times.ts';
import { t } from '../../../texts/t.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { SelectField } from '../../../ui/fields/field.tsx';
import { Card } from '../../../ui/page.tsx';
import { EmptyState, Loaded, problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import css from './access.module.css';
import { ShareForm } from './share-form.tsx';

/** The people that the device is shared with. */
export function SharesCard({ deviceId }: { deviceId: number }) {
  const query = useShares(deviceId);
  const [isSharing, setSharing] = useState(false);
  const share = (
    <Button icon="plus" kind="primary" size="small" onClick={() => setSharing(true)}>
      {t.deviceAccess.share}
    </Button>
  );
  return (
    <Card title={t.deviceAccess.sharing} actions={query.data && query.data.length > 0 && share}>
      <Loaded query={query}>
        {(shares) =>
          shares.length === 0 ? (
            <EmptyState icon="share" title={t.deviceAccess.nobody} action={share}>
              {t.deviceAccess.nobodyHint}
            </EmptyState>
          ) : (
            <ul className={css.shares}>
              {shares.map((one) => (
                <ShareRow key={one.id} share={one} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isSharing && <ShareForm deviceId={deviceId} onClose={() => setSharing(false)} />}
    </Card>
  );
}

function ShareRow({ share }: { share: Share }) {
  const update = useUpdateShare();
  const end = useDeleteShare();
  const [isEnding, setEnding] = useState(false);
  const name = share.email ?? t.users.somebody({ id: share.userId! });
  const change = async (rights: Share['rights']) => {
    try {
      await update.mutateAsync({ id: share.deviceId, fk: share.id, body: { rights } });
      toast({
        text: t.deviceAccess.changed({ email: name, right: t.deviceAccess.right[rights].toLowerCase() }),
        tone: 'good',
      });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  const confirm = async () => {
    try {
      await end.mutateAsync({ id: share.deviceId, fk: share.id });
      toast({ text: t.deviceAccess.ended({ email: name }) });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
      setEnding(false);
    }
  };
  return (
    <li className={css.share}>
      <div className={css.person}>
        <strong>{name}</strong>
        <span>
          {t.deviceAccess.since} {date(share.created)}
        </span>
      </div>
      <SelectField<Share['rights']>
        label={t.deviceAccess.rights}
        hidesLabel
        value={share.rights}
        disabled={update.isPending}
        onChange={(rights) => void change(rights)}
        choices={(['view', 'manage'] as const).map((value) => ({ value, label: t.deviceAccess.right[value] }))}
      />
      <IconButton icon="close" label={t.deviceAccess.end({ email: name })} onClick={() => setEnding(true)} />
      {isEnding && (
        <ConfirmDialog
          title={t.deviceAccess.endTitle({ email: name })}
          action={t.deviceAccess.endAction}
          onConfirm={() => void confirm()}
          onClose={() => setEnding(false)}
          isBusy={end.isPending}
        >
          {t.deviceAccess.endText}
        </ConfirmDialog>
      )}
    </li>
  );
}
