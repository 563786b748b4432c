import { useState } from 'react';
import { Link } from 'wouter';
import {
  type GeofenceList,
  SELF,
  type SeenFence,
  useGeofenceLists,
  usePutOnList,
  useSeenFences,
  useTakeOffList,
} from '../../../api/geofence-lists.ts';
import { colorOf } from '../../../api/geofences.ts';
import { t } from '../../../texts/t.ts';
import { ColorDot } from '../../../ui/badge.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { ComboField } from '../../../ui/fields/combo-field.tsx';
import { Card } from '../../../ui/page.tsx';
import { Loaded, problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import { nameOf } from '../groups.ts';
import { ListMap } from './list-map.tsx';
import css from './lists.module.css';

const words = t.geofenceLists;
const MOST_FOUND = 20;

/** The fences of a list on their map, and adding one's own. */
export function FencesOnList({
  list,
  isOwner,
  myId,
}: {
  list: GeofenceList;
  isOwner: boolean;
  myId: number | undefined;
}) {
  const query = useSeenFences();
  return (
    <Card title={words.onIt}>
      <Loaded query={query}>
        {({ data: fences }) => {
          const onIt = fences.filter(({ listId }) => listId === list.id);
          const others = fences.filter(({ listId, ownerId }) => listId !== list.id && ownerId === myId);
          return (
            <div className={css.fences}>
              {onIt.length === 0 ? (
                <p className={css.soft}>
                  {words.nothingOnIt}. {words.nothingOnItHint}
                </p>
              ) : (
                <>
                  <ListMap list={list} fences={onIt} />
                  <ul className={css.list} aria-label={words.onIt}>
                    {onIt.map((fence) => (
                      <FenceOnList
                        key={fence.id}
                        fence={fence}
                        list={list}
                        isMine={fence.ownerId === myId}
                        mayTakeOff={isOwner || fence.ownerId === myId}
                      />
                    ))}
                  </ul>
                </>
              )}
              <AddFence list={list} fences={others} />
            </div>
          );
        }}
      </Loaded>
    </Card>
  );
}

function FenceOnList({
  fence,
  list,
  isMine,
  mayTakeOff,
}: {
  fence: SeenFence;
  list: GeofenceList;
  isMine: boolean;
  mayTakeOff: boolean;
}) {
  const takeOff = useTakeOffList();
  const put = usePutOnList();
  const name = nameOf(fence);
  const undo = () =>
    put
      .mutateAsync({ userid: SELF, fenceid: fence.id, listid: list.id })
      .catch((error) => toast({ text: problemOf(error), tone: 'danger' }));
  const drop = async () => {
    try {
      await takeOff.mutateAsync({ userid: SELF, fenceid: fence.id });
      // Only the owner of the fence can put it back.
      toast({
        text: words.takenOff({ fence: name }),
        ...(isMine && { action: { label: words.undo, onPress: () => void undo() } }),
      });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  return (
    <li className={css.fence}>
      <ColorDot color={colorOf(fence) ?? list.color} />
      <span className={css.words}>
        {isMine ? (
          <Link href={`/geofences/${fence.id}`} className={css.name}>
            {name}
          </Link>
        ) : (
          <span className={css.name}>{name}</span>
        )}
        {!isMine && <span className={css.soft}>{words.ofOther}</span>}
      </span>
      {mayTakeOff && (
        <IconButton
          icon="close"
          label={words.takeOff({ fence: name })}
          disabled={takeOff.isPending}
          onClick={() => void drop()}
        />
      )}
    </li>
  );
}

function AddFence({ list, fences }: { list: GeofenceList; fences: readonly SeenFence[] }) {
  const [query, setQuery] = useState('');
  const put = usePutOnList();
  const lists = useGeofenceLists().data?.data ?? [];
  const text = query.trim().toLowerCase();
  const found = fences.filter((fence) => nameOf(fence).toLowerCase().includes(text)).slice(0, MOST_FOUND);
  const labelOf = (fence: SeenFence) => {
    const other = lists.find(({ id }) => id === fence.listId);
    return other ? words.onOther({ fence: nameOf(fence), list: other.name }) : nameOf(fence);
  };
  const add = async (fenceid: number) => {
    try {
      await put.mutateAsync({ userid: SELF, fenceid, listid: list.id });
      const fence = fences.find(({ id }) => id === fenceid);
      if (fence) toast({ text: words.added({ fence: nameOf(fence) }), tone: 'good' });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  return (
    <ComboField
      label={words.addFence}
      hint={words.addFenceHint}
      chosen={undefined}
      onChange={(choice) => choice && void add(choice.value)}
      query={query}
      onQuery={setQuery}
      choices={found.map((fence) => ({
        value: fence.id,
        label: labelOf(fence),
        mark: <ColorDot color={colorOf(fence) ?? 'var(--fence)'} />,
      }))}
      nothing={words.noFence}
    />
  );
}
