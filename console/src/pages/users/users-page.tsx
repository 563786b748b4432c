import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { type User, useMe, useUsers } from '../../api/accounts/users.ts';
import { useServerInfo } from '../../api/server-info.ts';
import { containing } from '../../forms/pick-device.tsx';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { Breakable } from '../../ui/breakable.tsx';
import { Button } from '../../ui/button.tsx';
import { SearchField } from '../../ui/fields/search-field.tsx';
import { Page, Stack } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';
import { Invitations } from './invitations.tsx';
import { InviteForm } from './invite-form.tsx';
import { nameOf } from './name-of.ts';
import { ServiceForm } from './service-form.tsx';
import { UserForm } from './user-form.tsx';
import css from './users.module.css';

const words = t.users;
const PAGE = 50;

/** All users, for admins. */
export default function UsersPage() {
  const me = useMe().data;
  const [search, setSearch] = useSearchParams();
  const [adding, setAdding] = useState<'user' | 'service'>();
  const [isInviting, setInviting] = useState(false);
  const canInvite = useServerInfo().data?.channels.email === true;
  const text = search.get('q') ?? '';
  const page = Math.max(0, Number(search.get('page') ?? 0) || 0);
  const like = { ilike: containing(text.trim()) };
  const query = useUsers(
    {
      ...(text.trim() && { where: { or: [{ name: like }, { email: like }, { username: like }] } }),
      order: ['name ASC', 'id ASC'],
      limit: PAGE + 1,
      skip: page * PAGE,
    },
    { keepsPrevious: true },
  );
  const columns: Column<User>[] = [
    {
      key: 'name',
      label: words.columns.name,
      cell: (user) => (
        <span className={css.who}>
          <Link href={`/users/${user.id}`} className={css.name}>
            <Breakable text={nameOf(user)} />
          </Link>
          {user.name && user.kind === 'person' && <span className={css.mail}>{user.email}</span>}
        </span>
      ),
    },
    {
      key: 'role',
      label: words.columns.role,
      fits: true,
      cell: ({ id, admin, kind }) => (
        <span className={css.badges}>
          {kind === 'service' && <Badge tone="good">{t.serviceAccounts.service}</Badge>}
          {admin && <Badge tone="info">{words.admin}</Badge>}
          {!admin && kind === 'person' && <Badge>{words.ordinary}</Badge>}
          {id === me?.id && <Badge tone="good">{words.you}</Badge>}
        </span>
      ),
    },
    { key: 'created', label: words.columns.created, isMinor: true, cell: ({ created }) => <Ago time={created} /> },
  ];
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <>
          {canInvite && (
            <Button icon="outbox" shrinks onClick={() => setInviting(true)}>
              {t.byMail.invite}
            </Button>
          )}
          <Button icon="terminal" shrinks onClick={() => setAdding('service')}>
            {t.serviceAccounts.add}
          </Button>
          <Button kind="primary" icon="plus" onClick={() => setAdding('user')}>
            {words.add}
          </Button>
        </>
      }
    >
      <div className={css.search}>
        <SearchField
          label={words.search}
          value={text}
          onChange={(q) => setSearch(q === '' ? {} : { q }, { replace: true })}
        />
      </div>
      <Loaded query={query} lines={6}>
        {(users) =>
          users.length === 0 ? (
            <EmptyState icon="search" title={words.nothingFound} />
          ) : (
            <Stack>
              <Table
                columns={columns}
                rows={users.slice(0, PAGE)}
                rowKey={({ id }) => id}
                caption={words.list}
                href={({ id }) => `/users/${id}`}
              />
              <Pager
                page={page}
                hasMore={users.length > PAGE}
                about={words.page({ from: page * PAGE + 1, to: page * PAGE + Math.min(PAGE, users.length) })}
                onChange={(next) =>
                  setSearch({ ...(text && { q: text }), ...(next > 0 && { page: String(next) }) } as never)
                }
              />
            </Stack>
          )
        }
      </Loaded>
      <Invitations />
      {isInviting && <InviteForm onClose={() => setInviting(false)} />}
      {adding === 'user' && <UserForm onClose={() => setAdding(undefined)} />}
      {adding === 'service' && <ServiceForm onClose={() => setAdding(undefined)} />}
    </Page>
  );
}
