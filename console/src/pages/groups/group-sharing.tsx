import { useState } from 'react';
import { type DeviceGroup, ME, useGroupShares, useShareGroup, useUnshareGroup } from '../../api/many/groups.ts';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Card } from '../../ui/page.tsx';
import { Loaded, problemOf } from '../../ui/states.tsx';
import { Segmented } from '../../ui/tabs.tsx';
import { toast } from '../../ui/toast.tsx';
import css from './groups.module.css';

const words = t.groups;

/** The shares of a group, and sharing it. */
export function GroupSharing({ group }: { group: DeviceGroup }) {
  const query = useGroupShares(group.id);
  const unshare = useUnshareGroup();
  const [isSharing, setSharing] = useState(false);
  const end = async (shareid: number, who: string) => {
    try {
      await unshare.mutateAsync({ id: ME, fk: group.id, shareid });
      toast({ text: words.unshared({ who }) });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  return (
    <Card
      title={words.sharing}
      actions={
        <Button icon="share" size="small" onClick={() => setSharing(true)}>
          {words.share}
        </Button>
      }
    >
      <Loaded query={query}>
        {(shares) =>
          shares.length === 0 ? (
            <p className={css.soft}>{words.notShared}</p>
          ) : (
            <ul className={css.list} aria-label={words.sharing}>
              {shares.map(({ id, email, userId, rights }) => {
                const who = email ?? t.users.somebody({ id: userId ?? 0 });
                return (
                  <li key={id} className={css.member}>
                    <span className={css.words}>{who}</span>
                    <span className={css.ends}>
                      <Badge>{words.rights[rights]}</Badge>
                      <IconButton icon="close" label={words.unshare({ who })} onClick={() => void end(id, who)} />
                    </span>
                  </li>
                );
              })}
            </ul>
          )
        }
      </Loaded>
      {isSharing && <ShareDialog group={group} onClose={() => setSharing(false)} />}
    </Card>
  );
}

function ShareDialog({ group, onClose }: { group: DeviceGroup; onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [rights, setRights] = useState<'view' | 'manage'>('view');
  const share = useShareGroup();
  const save = async () => {
    try {
      await share.mutateAsync({ id: ME, fk: group.id, body: { email: email.trim(), rights } });
      toast({ text: words.shared({ who: email.trim() }), tone: 'good' });
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
      <p className={css.soft}>{words.shareHint}</p>
      <TextField label={words.email} value={email} onChange={setEmail} maxLength={320} required autoFocus />
      <Segmented
        label={words.right}
        value={rights}
        choices={(['view', 'manage'] as const).map((value) => ({ value, label: words.rights[value] }))}
        onChange={setRights}
      />
    </FormDialog>
  );
}
