import { useState } from 'react';
import { type Session, useEndSession, useEndSessions, useSessions } from '../../api/accounts/users.ts';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Card } from '../../ui/page.tsx';
import { Loaded, problemOf } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { LastUse } from './last-use.tsx';

const words = t.tokens;

/** Sessions and tokens of a user; each can be ended, and all together. */
export function SessionsCard({ userId, isOwn = false }: { userId: number; isOwn?: boolean }) {
  const query = useSessions(userId);
  const endOne = useEndSession();
  const endAll = useEndSessions();
  const [isAsking, setAsking] = useState(false);
  const reported = async (ending: Promise<string>) => {
    try {
      toast({ text: await ending });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  const end = ({ id }: Session) => reported(endOne.mutateAsync({ id: userId, fk: id }).then(() => words.sessionEnded));
  const confirm = async () => {
    await reported(endAll.mutateAsync({ id: userId }).then(({ count }) => words.endedCount({ count })));
    setAsking(false);
  };
  const columns: Column<Session>[] = [
    { key: 'what', label: words.sessionColumns.what, cell: (session) => <What session={session} /> },
    {
      key: 'used',
      label: words.sessionColumns.used,
      wraps: 'words',
      cell: ({ lastUsed, lastAddress }) => <LastUse time={lastUsed} address={lastAddress} />,
    },
    {
      key: 'since',
      label: words.sessionColumns.since,
      isMinor: true,
      wraps: 'words',
      cell: ({ created }) => <Ago time={created} />,
    },
    {
      key: 'actions',
      label: words.sessionColumns.actions,
      align: 'end',
      fits: true,
      cell: (session) =>
        !session.current && (
          <Button
            size="small"
            aria-label={words.endOf({ name: [nameOf(session), session.lastAddress].filter(Boolean).join(', ') })}
            onClick={() => void end(session)}
          >
            {words.end}
          </Button>
        ),
    },
  ];
  return (
    <Card
      title={isOwn ? words.sessions : words.sessionsOf}
      actions={
        <Button size="small" onClick={() => setAsking(true)} disabled={!query.data?.some(({ current }) => !current)}>
          {isOwn ? words.endAll : words.endAllOf}
        </Button>
      }
    >
      <Loaded query={query} lines={3}>
        {(sessions) =>
          sessions.length === 0 ? (
            <p>{words.noSessions}</p>
          ) : (
            <Table columns={columns} rows={sessions} rowKey={({ id }) => id} caption={words.sessionsOf} />
          )
        }
      </Loaded>
      {isAsking && (
        <ConfirmDialog
          title={words.endAllTitle}
          action={isOwn ? words.endAll : words.endAllOf}
          onConfirm={() => void confirm()}
          onClose={() => setAsking(false)}
          isBusy={endAll.isPending}
        >
          {words.endAllText}
        </ConfirmDialog>
      )}
    </Card>
  );
}

function What({ session }: { session: Session }) {
  return (
    <>
      {nameOf(session)} {session.current && <Badge tone="good">{words.thisSession}</Badge>}
      {session.kind === 'token' && <Badge>{words.personal}</Badge>}
      {session.kind === 'mqtt' && <Badge>MQTT</Badge>}
    </>
  );
}

const nameOf = ({ kind, agent, description }: Session) =>
  (kind === 'session' ? agent : description || words.unnamed) ?? words.unknownAgent;
