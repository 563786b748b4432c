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
} from '../../api/push.ts';
import { t } from '../../texts/t.ts';
import { problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';

const words = t.notifications.push;

/** Push messages to this browser: whether they are on, and how to change that. */
export function useBrowserPush() {
  const info = useServerInfo();
  const subscriptions = useSubscriptions();
  const own = useQuery({
    queryKey: ['ownPushEndpoint', subscriptions.dataUpdatedAt],
    queryFn: async () => (await ownEndpoint()) ?? '',
  });
  const [isBusy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<PushTrouble>();

  /** Whether it went well. */
  const act = async (what: () => Promise<PushTrouble | undefined>, done: string): Promise<boolean> => {
    setBusy(true);
    setTrouble(undefined);
    try {
      const wrong = await what();
      setTrouble(wrong);
      if (!wrong) toast({ text: done, tone: 'good' });
      return !wrong;
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
      return false;
    } finally {
      setBusy(false);
    }
  };
  return {
    info,
    ability: info.data && abilityOf(info.data),
    subscriptions: subscriptions.data,
    here: subscriptions.data?.find(({ endpoint }) => endpoint === own.data),
    isBusy,
    trouble,
    start: () => act(() => subscribe(info.data?.pushKey ?? ''), words.subscribed),
    end: (id: number, endpoint: string) =>
      act(async () => {
        await unsubscribe(id, endpoint);
        return undefined;
      }, words.unsubscribed),
  };
}
