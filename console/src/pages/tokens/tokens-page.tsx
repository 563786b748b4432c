import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { type PersonalAccessToken, useDeleteToken, useTokens } from '../../api/accounts/users.ts';
import { date } from '../../format/times.ts';
import { useNow } from '../../format/use-format.ts';
import { LastUse } from '../../forms/account/last-use.tsx';
import { t } from '../../texts/t.ts';
import { ActDialog } from '../../ui/act-dialog.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Page, Stack } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, PhoneLine, Table } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';
import { TokenForm } from './token-form.tsx';

const words = t.tokens;
const PAGE = 20;

/** The viewer's tokens for programs. */
export default function TokensPage() {
  const [search, setSearch] = useSearchParams();
  const page = Math.max(0, Number(search.get('page') ?? 0) || 0);
  const query = useTokens(page, PAGE, { keepsPrevious: true });
  const [isMaking, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<PersonalAccessToken>();
  const now = useNow();
  const endOf = ({ expiresAt, ttl }: PersonalAccessToken) => {
    if (ttl === 0) return words.lives.never;
    return Date.parse(expiresAt) < now ? <Badge tone="warn">{words.ended}</Badge> : date(expiresAt);
  };
  const columns: Column<PersonalAccessToken>[] = [
    {
      key: 'description',
      label: words.columns.description,
      cell: (token) => (
        <>
          <strong>{nameOf(token)}</strong>
          <PhoneLine>{allowsOf(token)}</PhoneLine>
          <PhoneLine>
            {words.columns.expires}: {endOf(token)}
          </PhoneLine>
        </>
      ),
    },
    { key: 'allows', label: words.columns.allows, isMinor: true, wraps: 'words', cell: allowsOf },
    {
      key: 'used',
      label: words.columns.used,
      isMinor: true,
      cell: ({ lastUsed, lastAddress }) => <LastUse time={lastUsed} address={lastAddress} />,
    },
    { key: 'created', label: words.columns.created, isMinor: true, cell: ({ created }) => <Ago time={created} /> },
    {
      key: 'expires',
      label: words.columns.expires,
      isMinor: true,
      wraps: 'words',
      cell: endOf,
    },
    {
      key: 'actions',
      label: words.columns.actions,
      align: 'end',
      fits: true,
      cell: (token) => (
        <Button
          size="small"
          aria-label={words.revokeOf({ description: nameOf(token) })}
          onClick={() => setRevoking(token)}
        >
          {words.revoke}
        </Button>
      ),
    },
  ];
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
          {words.add}
        </Button>
      }
    >
      <Loaded query={query} lines={5}>
        {({ tokens, total }) =>
          total === 0 ? (
            <EmptyState icon="key" title={words.none}>
              {words.noneText}
            </EmptyState>
          ) : (
            <Stack>
              <Table columns={columns} rows={tokens} rowKey={({ id }) => id} caption={words.list} />
              <Pager
                page={page}
                hasMore={(page + 1) * PAGE < total}
                about={words.page({ from: page * PAGE + 1, to: page * PAGE + tokens.length, total })}
                onChange={(next) => setSearch(next === 0 ? {} : { page: String(next) })}
              />
            </Stack>
          )
        }
      </Loaded>
      {isMaking && <TokenForm onClose={() => setMaking(false)} />}
      {revoking && <RevokeDialog token={revoking} onClose={() => setRevoking(undefined)} />}
    </Page>
  );
}

function RevokeDialog({ token, onClose }: { token: PersonalAccessToken; onClose: () => void }) {
  const revoke = useDeleteToken();
  return (
    <ActDialog
      title={words.revokeTitle({ description: nameOf(token) })}
      action={words.revoke}
      done={words.revoked}
      act={() => revoke.mutateAsync({ id: token.id })}
      onClose={onClose}
    >
      {words.revokeText}
    </ActDialog>
  );
}

const allowsOf = ({ access, deviceIds, families }: PersonalAccessToken) =>
  [
    words.accesses[access],
    deviceIds && words.deviceCount({ count: deviceIds.length }),
    families && words.areaCount({ count: families.length }),
  ]
    .filter(Boolean)
    .join(', ');

const nameOf = ({ description }: PersonalAccessToken) => description || words.unnamed;
