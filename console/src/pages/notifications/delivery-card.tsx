import { useDeliveriesOf } from '../../api/deliveries-of.ts';
import { OneDelivery } from '../../forms/one-delivery.tsx';
import { t } from '../../texts/t.ts';
import { Card } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import css from './notification.module.css';

const words = t.notifications;

/** The deliveries of a notification, and their results. */
export function DeliveryCard({ notificationId }: { notificationId: number }) {
  const query = useDeliveriesOf(notificationId);
  return (
    <Card title={words.delivery} isFlush>
      <Loaded query={query} lines={2}>
        {(deliveries) =>
          deliveries.length === 0 ? (
            <p className={css.caption}>{words.deliveryNone}</p>
          ) : (
            <ul className={css.deliveries}>
              {deliveries.map((delivery) => (
                <li key={delivery.id}>
                  <OneDelivery delivery={delivery} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}
