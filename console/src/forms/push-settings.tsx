import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  abilityOf,
  ownEndpoint,
  type PushTrouble,
  subscribe,
  unsubscribe,
  useServerInfo,
  useSubscriptions,
} from '../api/push.ts';
import { date } from '../format/times.ts';
import { t } from '../texts/t.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loaded, Notice, problemOf } from '../ui/states.tsx';
import { toast } from '../ui/toast.tsx';
import css from './push-settings.module.css';

const words = t.notifications.push;

/** Switches messages on in this browser, and shows in which they are on. */
export function PushSettings() {
  const info = useServerInfo();
  const subscriptions = useSubscriptions();
  const own = useQuery({
    queryKey: ['ownPushEndpoint', subscriptions.dataUpdatedAt],
    queryFn: async () => (await ownEndpoint()) ?? '',
  });
  const [isBusy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<PushTrouble>();

  const act = async (what: () => Promise<PushTrouble | undefined>, done: string) => {
    setBusy(true);
    setTrouble(undefined);
    try {
      const wrong = await what();
      setTrouble(wrong);
      if (!wrong) toast({ text: done, tone: 'good' });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    } finally {
      setBusy(false);
    }
  };
  const end = (id: number, endpoint: string) =>
    act(async () => {
      await unsubscribe(id, endpoint);
      return undefined;
    }, words.unsubscribed);

  return (
    <Loaded query={info} lines={2}>
      {(server) => {
        const ability = abilityOf(server);
        const here = subscriptions.data?.find(({ endpoint }) => endpoint === own.data);
        return (
          <div className={css.settings}>
            {ability !== 'able' ? (
              <Notice tone="warn">{words[ability]}</Notice>
            ) : (
              <div className={css.here}>
                <Icon name={here ? 'bell' : 'snooze'} size={22} />
                <strong>{here ? words.on : words.off}</strong>
                {here ? (
                  <Button size="small" isBusy={isBusy} onClick={() => void end(here.id, here.endpoint)}>
                    {words.unsubscribe}
                  </Button>
                ) : (
                  <Button
                    kind="primary"
                    size="small"
                    isBusy={isBusy}
                    onClick={() => void act(() => subscribe(server.pushKey), words.subscribed)}
                  >
                    {words.subscribe}
                  </Button>
                )}
              </div>
            )}
            <div aria-live="polite">
              {isBusy && !here && ability === 'able' && <p className={css.soft}>{words.asking}</p>}
              {trouble && <Notice tone="warn">{words[trouble]}</Notice>}
            </div>
            {subscriptions.data && subscriptions.data.length > 0 && (
              <>
                <h3 className={css.title}>{words.browsers}</h3>
                <ul className={css.browsers}>
                  {subscriptions.data.map(({ id, agent, created, endpoint }) => (
                    <li key={id}>
                      <span className={css.agent}>
                        {agent ?? words.unknown}
                        <span className={css.soft}>
                          {words.since(date(created))}
                          {id === here?.id && ` · ${words.thisBrowser}`}
                        </span>
                      </span>
                      <IconButton
                        icon="trash"
                        size="small"
                        label={words.remove(agent ?? words.unknown)}
                        disabled={isBusy}
                        onClick={() => void end(id, endpoint)}
                      />
                    </li>
                  ))}
                </ul>
              </>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}
