import type { Vault } from '../../platform/vault.ts';
import type { Store } from '../schema/tables.ts';

export const ntripPasswordContext = (deviceId: number) => `rtkStates.ntripPassword:${deviceId}`;

const NTRIP_COMMAND = 'rtk ntrip ';

interface Waiting {
  readonly id: number;
  readonly message: string | null;
  readonly config: string | null;
}

/** Inserts the password of an NTRIP caster into the message for the device, and into no other. */
export function ntripPasswords(store: Store, vault: Vault) {
  return async <M extends Waiting>(deviceId: number, waiting: readonly M[]): Promise<readonly M[]> => {
    if (!waiting.some(({ message }) => message?.startsWith(NTRIP_COMMAND))) return waiting;
    const state = await store.query
      .selectFrom('rtkStates')
      .select(['ntrip', 'ntripPassword', 'ntripMessageId'])
      .where('deviceId', '=', deviceId)
      .executeTakeFirst();
    if (!state?.ntripPassword || state.ntrip === null) return waiting;
    const password = vault.open(state.ntripPassword, ntripPasswordContext(deviceId));
    const config = Buffer.from(JSON.stringify({ ...JSON.parse(state.ntrip), password })).toString('base64');
    return waiting.map((message) => (message.id === state.ntripMessageId ? { ...message, config } : message));
  };
}
