import { useState } from 'react';
import {
  type GeofenceList,
  SELF,
  useListSharing,
  useRemoveListMember,
  useShareList,
  useUnshareList,
} from '../../../api/geofence-lists.ts';
import { t } from '../../../texts/t.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/fields/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Card } from '../../../ui/page.tsx';
import { EmptyState, Loaded, problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import css from './lists.module.css';

const words = t.geofenceLists;

interface ListShare {
  readonly email: string | null;
  readonly userId: number | null;
}

/** The members of a list, as far as the viewer may see them, and sharing it. */
export function ListSharing({ list, isOwner }: { list: GeofenceList; isOwner: boolean }) {
  const query = useListSharing(list.id);
  const [isSharing, setSharing] = useState(false);
  const share = (
    <Button icon="plus" kind="primary" size="small" onClick={() => setSharing(true)}>
      {words.share}
    </Button>
  );
  return (
    <Card title={words.sharing} actions={query.data && (query.data.data.length > 0 || !isOwner) && share}>
      <Loaded query={query}>
        {({ data: shares }) =>
          shares.length > 0 ? (
            <ul className={css.list} aria-label={words.sharing}>
              {shares.map((one) => (
                <ShareRow key={one.email ?? `user ${one.userId}`} list={list} share={one} />
              ))}
            </ul>
          ) : isOwner ? (
            <EmptyState icon="share" title={words.notShared} action={share}>
              {words.notSharedHint}
            </EmptyState>
          ) : (
            <p className={css.soft}>{words.notSharedByYou}</p>
          )
        }
      </Loaded>
      {isSharing && <ShareDialog list={list} onClose={() => setSharing(false)} />}
    </Card>
  );
}

function ShareRow({ list, share: { email, userId } }: { list: GeofenceList; share: ListShare }) {
  const [isEnding, setEnding] = useState(false);
  const unshare = useUnshareList();
  const remove = useRemoveListMember();
  const who = email ?? t.users.somebody({ id: userId! });
  const confirm = async () => {
    try {
      const of = { userid: SELF, listid: list.id };
      if (email !== null) await unshare.mutateAsync({ ...of, email });
      else await remove.mutateAsync({ ...of, targetid: userId! });
      toast({ text: words.ended({ who }) });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
      setEnding(false);
    }
  };
  return (
    <li className={css.fence}>
      <span className={css.words}>
        <span className={css.name}>{who}</span>
      </span>
      <IconButton icon="close" label={words.end({ who })} onClick={() => setEnding(true)} />
      {isEnding && (
        <ConfirmDialog
          title={words.endTitle({ who })}
          action={words.endAction}
          onConfirm={() => void confirm()}
          onClose={() => setEnding(false)}
          isBusy={unshare.isPending || remove.isPending}
        >
          {words.endText}
        </ConfirmDialog>
      )}
    </li>
  );
}

function ShareDialog({ list, onClose }: { list: GeofenceList; onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const share = useShareList();
  const email = typed.trim();
  const save = async () => {
    try {
      await share.mutateAsync({ userid: SELF, listid: list.id, body: { email } });
      toast({ text: words.shared({ address: email }), tone: 'good' });
      onClose();
    } catch {
      // The notice above the form shows the error.
    }
  };
  return (
    <FormDialog
      title={words.shareTitle}
      action={words.share}
      error={share.error}
      isBusy={share.isPending}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <TextField
        label={words.email}
        hint={words.emailHint}
        type="email"
        value={typed}
        onChange={setTyped}
        autoComplete="off"
        required
        autoFocus
      />
    </FormDialog>
  );
}
