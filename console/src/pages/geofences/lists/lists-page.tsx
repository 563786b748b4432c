import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useMe } from '../../../api/accounts/users.ts';
import { useGeofenceLists, useSeenFences } from '../../../api/geofence-lists.ts';
import { t } from '../../../texts/t.ts';
import { Badge, ColorDot } from '../../../ui/badge.tsx';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { FramedList } from '../../../ui/framed-list.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Page } from '../../../ui/page.tsx';
import { EmptyState, Loaded } from '../../../ui/states.tsx';
import { ListForm } from './list-form.tsx';
import { ListPage } from './list-page.tsx';
import css from './lists.module.css';

const words = t.geofenceLists;

/** The visible lists of geofences, or one of them: `/geofences/lists/4`. */
export default function ListsPage({ params }: { params: { id?: string } }) {
  const query = useGeofenceLists();
  if (params.id === undefined) return <AllLists query={query} />;
  const list = query.data?.data.find(({ id }) => id === Number(params.id));
  if (list) return <ListPage key={list.id} list={list} />;
  const back = { href: '/geofences/lists', label: words.backToLists };
  return (
    <Page title={query.data ? words.gone : ''} back={back}>
      <Loaded query={query}>
        {() => (
          <EmptyState
            icon="list"
            title={words.goneHint}
            action={
              <ButtonLink href="/geofences/lists" icon="list">
                {words.backToLists}
              </ButtonLink>
            }
          />
        )}
      </Loaded>
    </Page>
  );
}

function AllLists({ query }: { query: ReturnType<typeof useGeofenceLists> }) {
  const [, navigate] = useLocation();
  const [isAdding, setAdding] = useState(false);
  const myId = useMe().data?.id;
  const fences = useSeenFences().data?.data ?? [];
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
      {words.add}
    </Button>
  );
  return (
    <Page
      title={words.title}
      lead={words.lead}
      back={{ href: '/geofences', label: words.back }}
      width="narrow"
      actions={query.data && query.data.data.length > 0 && add}
    >
      <Loaded query={query}>
        {({ data: lists }) =>
          lists.length === 0 ? (
            <EmptyState icon="list" title={words.none} action={add} />
          ) : (
            <FramedList label={words.title}>
              {lists.map(({ id, name, color, ownerId }) => (
                <li key={id}>
                  <Link href={`/geofences/lists/${id}`} className={css.row}>
                    <ColorDot color={color} />
                    <span className={css.words}>
                      <span className={css.name}>{name}</span>
                      <span className={css.soft}>
                        {words.fences({ count: fences.filter(({ listId }) => listId === id).length })}
                      </span>
                    </span>
                    {myId !== undefined && ownerId !== myId && <Badge tone="info">{words.sharedWithYou}</Badge>}
                    <Icon name="right" size={16} />
                  </Link>
                </li>
              ))}
            </FramedList>
          )
        }
      </Loaded>
      {isAdding && (
        <ListForm onClose={() => setAdding(false)} onDone={({ id }) => navigate(`/geofences/lists/${id}`)} />
      )}
    </Page>
  );
}
