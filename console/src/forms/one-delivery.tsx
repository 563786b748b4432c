import { isChannel, specOf } from '@trackway/contract/channels.ts';
import { type Delivery, useResendDelivery } from '../api/deliveries-of.ts';
import { exactTime, relative } from '../format/times.ts';
import { useNow } from '../format/use-format.ts';
import { reasonText } from '../texts/reason-text.ts';
import { t } from '../texts/t.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { problemOf } from '../ui/states.tsx';
import { toast } from '../ui/toast.tsx';
import { CHANNEL_LOOKS } from './channel-looks.ts';
import css from './one-delivery.module.css';
import { SetUpLink } from './set-up-link.tsx';

const words = t.notifications;

const TONES: Readonly<Record<string, Tone>> = {
  queued: 'info',
  sending: 'info',
  sent: 'good',
  dead: 'danger',
  cancelled: 'plain',
  suppressed: 'plain',
};
const CAN_GO_AGAIN = ['sent', 'dead', 'queued'];

/** Whether the reason is that the channel is not set up: `mailNotConfigured` and others. */
const isNotSetUp = (details: Delivery['reasonDetails']) => /NotConfigured$/.test(String(details?.code));

export const DeliveryState = ({ status }: Pick<Delivery, 'status'>) => (
  <Badge tone={TONES[status] ?? 'plain'} hasDot>
    {words.states[status as keyof typeof words.states] ?? status}
  </Badge>
);

/** The result of one delivery, with a button to send it again. */
export function OneDelivery({ delivery }: { delivery: Delivery }) {
  const { id, userId, channel, status, reason, reasonDetails, attempts, ended, nextAt } = delivery;
  const resend = useResendDelivery();
  const now = useNow(5000);
  const again = async () => {
    try {
      await resend.mutateAsync({ id: userId, fk: id });
      toast({ text: words.resent, tone: 'good' });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  const isWaiting = status === 'queued' && attempts > 0;
  return (
    <div className={css.delivery}>
      <Icon name={isChannel(channel) ? CHANNEL_LOOKS[channel].icon : 'send'} size={20} />
      <div className={css.words}>
        <div className={css.head}>
          <strong>{isChannel(channel) ? t.channels[channel].name : channel}</strong>
          <DeliveryState status={status} />
          <span className={css.soft}>{addressOf(delivery)}</span>
        </div>
        {reason && (
          <p className={css.reason}>
            {reasonText(reason, reasonDetails)} {isNotSetUp(reasonDetails) && <SetUpLink />}
          </p>
        )}
        <p className={css.soft}>
          {[
            attempts > 0 && words.attempts({ count: attempts }),
            ended && exactTime(ended),
            isWaiting && words.nextTry({ when: relative(nextAt, now) }),
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
        <AttemptLog delivery={delivery} />
      </div>
      {CAN_GO_AGAIN.includes(status) && (
        <Button size="small" icon="refresh" isBusy={resend.isPending} onClick={() => void again()}>
          {words.resend}
        </Button>
      )}
    </div>
  );
}

function AttemptLog({ delivery: { attemptLog } }: { delivery: Delivery }) {
  if (!attemptLog || attemptLog.length === 0) return null;
  return (
    <details className={css.attempts}>
      <summary>{words.attemptLog}</summary>
      <ol>
        {attemptLog.map(({ at, reason, details }) => (
          <li key={at}>
            <time dateTime={at} className={css.soft}>
              {exactTime(at)}
            </time>{' '}
            {reasonText(reason, details)}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** The recipient. The address of a push service means nothing to people, so its host is shown. */
function addressOf({ channel, address, target }: Delivery): string {
  if (!isChannel(channel)) return target ?? address ?? '';
  const { address: source, server } = specOf(channel);
  if (source.from === 'subscriptions') return target && URL.canParse(target) ? new URL(target).host : '';
  return (server === undefined ? target : address) ?? address ?? '';
}
