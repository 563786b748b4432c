import { useLocation } from 'wouter';
import { t } from '../../texts/t.ts';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { DestinationList } from './destination-list.tsx';

const words = t.outbox;

/** Sent messages, their destinations and results. */
export default function OutboxPage({ params }: { params: { sheet?: string } }) {
  const [, navigate] = useLocation();
  const active = params.sheet === 'deliveries' ? 'deliveries' : 'destinations';
  return (
    <Page title={words.title} lead={words.lead}>
      <Tabs
        label={words.tabs}
        active={active}
        onChange={(tab) => navigate(tab === 'deliveries' ? '/outbox/deliveries' : '/outbox')}
        tabs={[
          { key: 'destinations', label: words.destinations },
          { key: 'deliveries', label: words.deliveries },
        ]}
      >
        {active === 'destinations' ? <DestinationList /> : <DeliveryList />}
      </Tabs>
    </Page>
  );
}
