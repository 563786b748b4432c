import { useState } from 'react';
import { useLocation } from 'wouter';
import { useMe } from '../../../api/accounts/users.ts';
import { type GeofenceList, SELF, useDeleteList, useListSharing } from '../../../api/geofence-lists.ts';
import { t } from '../../../texts/t.ts';
import { ColorDot } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Page, Stack } from '../../../ui/page.tsx';
import { problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import { ListForm } from './list-form.tsx';
import { ListSharing } from './list-sharing.tsx';
import { FencesOnList } from './on-list.tsx';

const words = t.geofenceLists;

/** One list: its fences, shares and actions. */
export function ListPage({ list }: { list: GeofenceList }) {
  const [asks, setAsks] = useState<'edit' | 'end'>();
  const me = useMe().data;
  const isOwner = me?.id === list.ownerId;
  const sharedBy = useListSharing(list.id).data?.sharedBy;
  const close = () => setAsks(undefined);
  return (
    <Page
      title={list.name}
      back={{ href: '/geofences/lists', label: words.backToLists }}
      mark={<ColorDot color={list.color} />}
      lead={me && !isOwner && (sharedBy ? words.sharedBy({ address: sharedBy }) : words.sharedWithYou)}
      actions={
        me && (
          <>
            {isOwner && (
              <Button icon="edit" onClick={() => setAsks('edit')}>
                {words.edit}
              </Button>
            )}
            <Button icon={isOwner ? 'trash' : 'close'} onClick={() => setAsks('end')}>
              {isOwner ? words.delete : words.leave}
            </Button>
          </>
        )
      }
    >
      <Stack>
        <FencesOnList list={list} isOwner={isOwner} myId={me?.id} />
        <ListSharing list={list} isOwner={isOwner} />
      </Stack>
      {asks === 'edit' && <ListForm list={list} onClose={close} />}
      {asks === 'end' && <EndDialog list={list} isOwner={isOwner} onClose={close} />}
    </Page>
  );
}

/** The owner deletes it, another member leaves it. */
function EndDialog({ list, isOwner, onClose }: { list: GeofenceList; isOwner: boolean; onClose: () => void }) {
  const [, navigate] = useLocation();
  const end = useDeleteList();
  const { name } = list;
  const confirm = async () => {
    try {
      await end.mutateAsync({ userid: SELF, listid: list.id });
      navigate('/geofences/lists');
      toast({ text: isOwner ? words.deleted({ name }) : words.left({ name }) });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  return (
    <ConfirmDialog
      title={isOwner ? words.deleteTitle({ name }) : words.leaveTitle({ name })}
      action={isOwner ? words.deleteAction : words.leaveAction}
      onConfirm={() => void confirm()}
      onClose={onClose}
      isBusy={end.isPending}
    >
      {isOwner ? words.deleteText : words.leaveText}
    </ConfirmDialog>
  );
}
