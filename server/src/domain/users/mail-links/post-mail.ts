import { CHANNELS } from '@trackway/contract/channels.ts';
import type { Kysely } from 'kysely';
import type { Content } from '../../../platform/outbox/channel.ts';
import { post } from '../../../platform/outbox/post.ts';
import { sealContent } from '../../../platform/outbox/sealed-content.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { Vault } from '../../../platform/vault.ts';
import type { Tables } from '../../schema/tables.ts';
import { isServiceAddress } from '../service-accounts/service-address.ts';

export interface AccountMail {
  /** Whose delivery it is: who caused it, or whose account it is about. */
  readonly userId: number;
  readonly address: string;
  readonly content: Content;
  /** Encrypts it until it is sent; not needed where what it says lets nobody in. */
  readonly seal?: Vault['seal'];
}

/** Mail about an account, by the outbox: it is retried like any other, and the record never shows what it says. */
export async function postMail(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  { userId, address, content, seal }: AccountMail,
  now: number,
): Promise<void> {
  await post(
    tx,
    storeKind,
    [
      {
        kind: 'email',
        target: CHANNELS.email.server,
        ownerId: null,
        userId,
        deviceId: null,
        address,
        what: 'account',
        content: seal ? (messageId) => sealContent(seal, messageId, content) : content,
      },
    ],
    now,
  );
}

/** Whether whoever reads mail at the address refused it, or nobody does, since it is a program's. */
export async function isRefused(tx: Kysely<Tables>, address: string): Promise<boolean> {
  if (isServiceAddress(address)) return true;
  const refusal = await tx.selectFrom('mailRefusals').select('id').where('address', '=', address).executeTakeFirst();
  return refusal !== undefined;
}
