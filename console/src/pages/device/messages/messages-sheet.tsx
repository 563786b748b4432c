import { useEffect, useRef, useState } from 'react';
import { useMe } from '../../../api/accounts/users.ts';
import { readAnew } from '../../../api/calls.ts';
import { useLive } from '../../../api/live/live.ts';
import { type Message, useMessages } from '../../../api/messages.ts';
import { day, dayKey } from '../../../format/times.ts';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState, Loaded, Notice } from '../../../ui/states.tsx';
import type { SheetProps } from '../rights.ts';
import { Bubble } from './bubble.tsx';
import { CommandMenu } from './command-menu.tsx';
import { MessageForm } from './message-form.tsx';
import css from './messages-sheet.module.css';
import { turnsOf } from './turns.ts';

const FIRST = 50;
const MOST = 1000;

/** The conversation with the device, oldest first, with a field for a new message. */
export default function MessagesSheet({ device, rights }: SheetProps) {
  const [limit, setLimit] = useState(FIRST);
  const query = useMessages(device.id, { order: 'id DESC', limit }, { keepsPrevious: true });
  useLive('message', ({ deviceId }) => {
    if (deviceId === device.id) void readAnew(['listMessages']);
  });
  return (
    <div className={css.sheet}>
      {rights.mayManage && <CommandMenu device={device} mayOwn={rights.mayOwn} />}
      <Loaded query={query}>
        {(messages) => (
          <Conversation
            messages={messages.toReversed()}
            mayManage={rights.mayManage}
            onEarlier={messages.length === limit && limit < MOST ? () => setLimit(limit * 2) : undefined}
          />
        )}
      </Loaded>
      {rights.mayManage ? <MessageForm deviceId={device.id} /> : <Notice>{t.deviceMessages.viewOnly}</Notice>}
    </div>
  );
}

function Conversation({
  messages,
  mayManage,
  onEarlier,
}: {
  messages: readonly Message[];
  mayManage: boolean;
  onEarlier: (() => void) | undefined;
}) {
  const myId = useMe().data?.id;
  const list = useRef<HTMLDivElement>(null);
  const lastId = messages.at(-1)?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: A new message is brought into view, an older one is not.
  useEffect(() => {
    const element = list.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, [lastId]);
  if (messages.length === 0)
    return (
      <div className={css.list}>
        <EmptyState icon="message" title={t.deviceMessages.empty}>
          {t.deviceMessages.emptyHint}
        </EmptyState>
      </div>
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls must be reachable by the keyboard.
    <div ref={list} className={css.list} role="log" aria-label={t.deviceMessages.label} tabIndex={0}>
      {onEarlier && (
        <Button size="small" kind="quiet" icon="history" onClick={onEarlier}>
          {t.deviceMessages.earlier}
        </Button>
      )}
      {turnsOf(messages).map(({ message, reply }, index, turns) => (
        <div key={message.id} className={css.turn}>
          {dayKey(message.created) !== dayKey(turns[index - 1]?.message.created ?? 0) && (
            <div className={css.day}>{day(message.created)}</div>
          )}
          <Bubble message={message} isMine={message.userId === myId} mayWithdraw={mayManage} />
          {reply && <Bubble message={reply} isMine={false} mayWithdraw={false} />}
        </div>
      ))}
    </div>
  );
}
