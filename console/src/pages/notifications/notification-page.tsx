import { Link } from 'wouter';
import { readAnew } from '../../api/calls.ts';
import { isRefusal } from '../../api/client.ts';
import { useLive } from '../../api/live/live.ts';
import { useNamedDevice } from '../../api/named-device.ts';
import { type Explanation, useExplanation } from '../../api/notifications.ts';
import { dateTime, exactTime } from '../../format/times.ts';
import { useFormat } from '../../format/use-format.ts';
import { happenedIn } from '../../forms/happened.ts';
import { iconOfType, labelOfType } from '../../forms/trigger-types.ts';
import { usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Card, Facts, Page, Stack } from '../../ui/page.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { Attention } from './attention.tsx';
import { DeliveryCard } from './delivery-card.tsx';
import { Evidence } from './evidence.tsx';
import { evidenceSentence } from './evidence-sentence.ts';
import css from './notification.module.css';
import { factsOf } from './reasons.ts';
import { TellerButtons, TellerState } from './teller.tsx';
import { useTopSpeeds } from './use-top-speeds.ts';

const words = t.notifications;
const back = { href: '/notifications', label: words.back };

/** One notification: why it fired, and its deliveries. */
export default function NotificationPage({ params }: { params: { id: string } }) {
  const id = Number(params.id);
  const query = useExplanation(id);
  const { units } = usePreferences();
  useLive('retraction', (event) => {
    if (event.id === id) void readAnew(['explainNotification', 'listNotificationDeliveries']);
  });
  if (isRefusal(query.error) && query.error.status === 404)
    return (
      <Page title={words.gone} back={back}>
        <EmptyState icon="bell" title={words.gone} action={<ButtonLink href={back.href}>{words.back}</ButtonLink>} />
      </Page>
    );
  const message = query.data ? happenedIn(query.data.notification.params, units) : words.title;
  return (
    <Page
      title={message}
      back={back}
      lead={
        query.data && (
          <>
            <DeviceAndTime notification={query.data.notification} />
            <TellerState notification={query.data.notification} />
          </>
        )
      }
      actions={query.data && <Ways explanation={query.data} />}
    >
      <Loaded query={query} lines={6}>
        {(explanation) => (
          <Stack>
            <Evidence explanation={explanation} />
            <Attention notification={explanation.notification} />
            <Why explanation={explanation} />
            <DeliveryCard notificationId={id} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function DeviceAndTime({ notification: { deviceId, timestamp } }: Pick<Explanation, 'notification'>) {
  return (
    <>
      <Link href={`/devices/${deviceId}`}>{useDeviceName(deviceId)}</Link>
      {` · ${dateTime(timestamp)} · `}
      <Ago time={timestamp} happened />
    </>
  );
}

function useDeviceName(id: number): string {
  return useNamedDevice(id).device?.name ?? t.triggers.unnamedDevice({ id });
}

function Ways({ explanation: { notification } }: { explanation: Explanation }) {
  return (
    <>
      <ButtonLink href={`/devices/${notification.deviceId}`} icon="device" size="small" shrinks>
        {words.onMap}
      </ButtonLink>
      {notification.triggerId !== 0 && (
        <>
          <ButtonLink
            href={`/alerts/${notification.deviceId}/${notification.triggerId}`}
            icon="edit"
            size="small"
            shrinks
          >
            {words.editTrigger}
          </ButtonLink>
          <TellerButtons notification={notification} />
        </>
      )}
    </>
  );
}

function Why({ explanation }: { explanation: Explanation }) {
  const { notification, because } = explanation;
  const format = useFormat();
  const { params, status, late } = notification;
  const topSpeedKmh = useTopSpeeds([notification]).get(notification.id);
  const type = String(params.type);
  const name = useDeviceName(notification.deviceId);
  return (
    <Card title={words.why}>
      <div className={css.why}>
        <span className={css.mark}>
          <Icon name={iconOfType(type)} size={24} />
        </span>
        <div className={css.whyWords}>
          <p className={css.sentence}>{evidenceSentence(explanation, name, format)}</p>
          {(status !== 'valid' || late) && (
            <p className={css.badges}>
              {late && <Badge tone="warn">{words.lateHint}</Badge>}
              {status === 'suppressed' && <Badge>{words.suppressed}</Badge>}
              {status === 'retracted' && <Badge tone="danger">{words.retracted}</Badge>}
            </p>
          )}
        </div>
      </div>
      <Facts
        facts={[
          [words.facts.happened, exactTime(notification.timestamp)],
          [words.facts.recorded, exactTime(notification.created)],
          [words.facts.device, name],
          [words.facts.topSpeed, topSpeedKmh && format.speed(topSpeedKmh)],
          [words.facts.trigger, params.name && params.name !== type ? String(params.name) : labelOfType(type)],
          ...factsOf(type, because, notification.timestamp, format),
        ]}
      />
    </Card>
  );
}
