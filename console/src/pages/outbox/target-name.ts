import { isChannel, specOf } from '@trackway/contract/channels.ts';
import { t } from '../../texts/t.ts';

/** The readable name of a destination: the operator's servers by name, push services by host. */
export function targetName({ kind, target }: { kind: string; target: string }): string {
  if (Object.hasOwn(t.outbox.ownServers, target)) return t.outbox.ownServers[target as 'smtp'];
  if (isChannel(kind) && specOf(kind).address.from === 'subscriptions' && URL.canParse(target))
    return new URL(target).host;
  return target;
}

export const kindName = (kind: string): string => (isChannel(kind) ? t.channels[kind].name : kind);
