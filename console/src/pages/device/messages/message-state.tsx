import type { Message } from '../../../api/messages.ts';
import { clock, exactTime } from '../../../format/times.ts';
import { t } from '../../../texts/t.ts';
import { classes } from '../../../ui/class-names.ts';
import { Icon } from '../../../ui/icon.tsx';
import type { IconName } from '../../../ui/icons.ts';
import css from './messages-sheet.module.css';

type State = NonNullable<Message['state']>;

const words = t.deviceMessages;
const ICONS: Readonly<Record<State, IconName>> = {
  queued: 'clock',
  written: 'send',
  confirmed: 'check',
  failed: 'warning',
  expired: 'warning',
};

export const stateOf = ({ state, sent }: Message): State => state ?? (sent === null ? 'queued' : 'confirmed');

/** What became of a message to the device. */
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
      return expires === null ? words.waiting : words.waitingUntil(clock(expires));
    case 'written':
      return words.written;
    case 'confirmed':
      return words.taken(sent === null ? '' : clock(sent));
    case 'failed':
      return words.failed(failure === 'unsupported' ? words.unsupported : t.server.said(failure || words.noReason));
    case 'expired':
      return words.expired;
  }
}
