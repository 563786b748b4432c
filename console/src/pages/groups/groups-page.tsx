import { type CSSProperties, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { branchesOf, useGroups } from '../../api/many/groups.ts';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { FramedList } from '../../ui/framed-list.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { useDeviceCounts } from './device-counts.ts';
import { GroupForm } from './group-form.tsx';
import { GroupPage } from './group-page.tsx';
import css from './groups.module.css';

const words = t.groups;

/** The tree of groups, or one of them. */
export default function GroupsPage({ params }: { params: { id?: string } }) {
  const query = useGroups();
  if (params.id === undefined) return <Tree />;
  const group = query.data?.find(({ id }) => id === Number(params.id));
  if (group) return <GroupPage key={group.id} group={group} />;
  return (
    <Page title={words.title} back={{ href: '/groups', label: words.back }}>
      <Loaded query={query}>
        {() => (
          <EmptyState icon="layers" title={words.gone} action={<ButtonLink href="/groups">{words.back}</ButtonLink>}>
            {words.goneHint}
          </EmptyState>
        )}
      </Loaded>
    </Page>
  );
}

function Tree() {
  const query = useGroups();
  const countOf = useDeviceCounts();
  const [, navigate] = useLocation();
  const [isAdding, setAdding] = useState(false);
  const add = (
    <Button icon="plus" kind="primary" onClick={() => setAdding(true)}>
      {words.add}
    </Button>
  );
  return (
    <Page title={words.title} lead={words.lead} actions={query.data && query.data.length > 0 && add}>
      <Loaded query={query} lines={5}>
        {(groups) =>
          groups.length === 0 ? (
            <EmptyState icon="layers" title={words.none} action={add} />
          ) : (
            <FramedList label={words.title}>
              {branchesOf(groups).map(({ group, level }) => (
                <li key={group.id}>
                  <Link href={`/groups/${group.id}`} className={css.row} style={{ '--level': level } as CSSProperties}>
                    <Icon name="layers" size={18} />
                    <span className={css.words}>
                      <span className={css.name}>{group.name}</span>
                      <span className={css.soft}>{countOf(group)}</span>
                    </span>
                    {group.right !== 'own' && <Badge tone="info">{words.sharedWithYou}</Badge>}
                    <Icon name="right" size={16} />
                  </Link>
                </li>
              ))}
            </FramedList>
          )
        }
      </Loaded>
      {isAdding && <GroupForm onClose={() => setAdding(false)} onDone={({ id }) => navigate(`/groups/${id}`)} />}
    </Page>
  );
}
