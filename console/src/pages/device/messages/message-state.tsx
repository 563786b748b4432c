import type { Message } from '../../../api/messages.ts';
import { clock, exactTime } from '../../../format/times.ts';
import { t, textFor } from '../../../texts/t.ts';
import { classes } from '../../../ui/class-names.ts';
import { Icon } from '../../../ui/icon.tsx';
import type { IconName } from '../../../ui/icons.ts';
import css from './messages-sheet.module.css';

type State = NonNullable<Message['state']>;

const words = t.deviceMessages;
const FAILURES = { ...words.failures, unsupported: words.unsupported };
const ICONS: Readonly<Record<State, IconName>> = {
  queued: 'clock',
  written: 'send',
  confirmed: 'check',
  failed: 'warning',
  expired: 'warning',
};

export const stateOf = ({ state, sent }: Message): State => state ?? (sent === null ? 'queued' : 'confirmed');

/** The state of a message to the device. */
export function MessageState({ message }: { message: Message }) {
  const state = stateOf(message);
  const isBad = state === 'failed' || state === 'expired';
  return (
    <span className={classes(css.state, isBad && css.bad)} title={message.sent ? exactTime(message.sent) : undefined}>
      <Icon name={ICONS[state]} size={14} />
      {inWords(state, message)}
    </span>
  );
}

function inWords(state: State, { sent, expires, failure }: Message): string {
  switch (state) {
    case 'queued':
      if (failure) return failure;
      return expires === null ? words.waiting : words.waitingUntil({ time: clock(expires) });
    case 'written':
      return words.written;
    case 'confirmed':
      return words.taken({ time: sent === null ? '' : clock(sent) });
    case 'failed':
      return words.failed({ reason: failure ? (textFor(FAILURES, failure) ?? failure) : words.noReason });
    case 'expired':
      return words.expired;
  }
}
