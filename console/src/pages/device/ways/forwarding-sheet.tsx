import { useState } from 'react';
import { useForwarders } from '../../../api/forwarders.ts';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { Row, Stack } from '../../../ui/page.tsx';
import { EmptyState, Loaded, Notice } from '../../../ui/states.tsx';
import type { SheetProps } from '../rights.ts';
import { ForwarderCard } from './forwarder-card.tsx';
import { ForwarderForm } from './forwarder-form.tsx';
import css from './ways.module.css';

/** Delay and errors change without user actions, so they are polled. */
const EVERY_MS = 10_000;

/** The destinations of the device's data, and their state. */
export default function ForwardingSheet({ device, rights }: SheetProps) {
  const query = useForwarders(device.id, { enabled: rights.mayManage, refetchInterval: EVERY_MS });
  const [isAdding, setAdding] = useState(false);
  if (!rights.mayManage) return <Notice>{t.deviceWays.viewOnly}</Notice>;
  const add = (shrinks: boolean) => (
    <Button icon="plus" kind="primary" shrinks={shrinks} onClick={() => setAdding(true)}>
      {t.deviceWays.addForwarder}
    </Button>
  );
  return (
    <>
      <Loaded query={query}>
        {(forwarders) =>
          forwarders.length === 0 ? (
            <EmptyState icon="send" title={t.deviceWays.noForwarders} action={add(false)}>
              {t.deviceWays.noForwardersHint}
            </EmptyState>
          ) : (
            <Stack>
              <Row spread>
                <p className={css.lead}>{t.deviceWays.forwardingLead}</p>
                {add(true)}
              </Row>
              {forwarders.map((forwarder) => (
                <ForwarderCard key={forwarder.id} forwarder={forwarder} />
              ))}
            </Stack>
          )
        }
      </Loaded>
      {isAdding && <ForwarderForm deviceId={device.id} onClose={() => setAdding(false)} />}
    </>
  );
}
