import { COMMANDS } from '@trackway/contract/resources/message.ts';
import { type Message, useDeleteMessage } from '../../../api/messages.ts';
import { clock, exactTime } from '../../../format/times.ts';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/class-names.ts';
import { problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import { MessageState, stateOf } from './message-state.tsx';
import css from './messages-sheet.module.css';

/** One message and its state. */
export function Bubble({ message, isMine, mayWithdraw }: { message: Message; isMine: boolean; mayWithdraw: boolean }) {
  const text = textOf(message);
  const remove = useDeleteMessage();
  const isDown = message.mobileTerminated;
  const isWaiting = isDown && stateOf(message) === 'queued';
  const withdraw = async () => {
    try {
      await remove.mutateAsync({ id: message.deviceId, fk: message.id });
      toast({ text: t.deviceMessages.withdrawn });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  return (
    <article className={classes(css.bubble, isDown ? css.down : css.up, isWaiting && css.waiting)}>
      {text && <p className={css.text}>{text}</p>}
      {message.config && (
        <p className={css.text}>
          <span className={css.bytes}>{t.deviceMessages.bytes}</span> <code>{message.config}</code>
        </p>
      )}
      <footer className={css.foot}>
        <span>{isDown ? senderOf(message, isMine) : t.deviceMessages.fromDevice}</span>
        <time dateTime={message.created} title={exactTime(message.created)}>
          {clock(message.created)}
        </time>
        {isDown && <MessageState message={message} />}
        {isWaiting && mayWithdraw && (
          <Button size="small" kind="quiet" isBusy={remove.isPending} onClick={() => void withdraw()}>
            {t.deviceMessages.withdraw}
          </Button>
        )}
      </footer>
    </article>
  );
}

/** Commands to trackers are stored by their names in the API. */
function textOf({ message, mobileTerminated }: Message): string | null {
  const [name, ...parameters] = (message ?? '').split(' ');
  const command = mobileTerminated && COMMANDS.find((one) => one === name);
  return command ? [t.deviceCommands.commands[command].label.replace(/\s?…$/, ''), ...parameters].join(' ') : message;
}

const senderOf = ({ userId }: Message, isMine: boolean) =>
  isMine || userId === null ? t.deviceMessages.you : t.deviceMessages.someone({ id: userId });
