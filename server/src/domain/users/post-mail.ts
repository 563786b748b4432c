import { CHANNELS } from '@trackway/contract/channels.ts';
import type { Kysely } from 'kysely';
import { type Content, sealContent } from '../../platform/outbox/channel.ts';
import { post } from '../../platform/outbox/post.ts';
import type { Vault } from '../../platform/vault.ts';
import type { Tables } from '../schema/tables.ts';

/** A domain that exists nowhere, by RFC 2606: mail to it is never delivered. */
const DOMAIN = 'service.invalid';

/** The address of a service account, for sharing devices with it. `suffix` distinguishes equal names. */
export function serviceAddress(name: string, suffix: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60);
  return `${[plain, suffix].filter(Boolean).join('-')}@${DOMAIN}`;
}

export const isServiceAddress = (address: string) => address.toLowerCase().endsWith(`@${DOMAIN}`);

interface AccountMail {
  /** Whose delivery it is: who caused it, or whose account it is about. */
  readonly userId: number;
  readonly address: string;
  readonly content: Content;
  /** Encrypts it until it is sent; not needed if the content grants no access. */
  readonly seal?: Vault['seal'];
}

/** Mail about an account, by the outbox: it is retried like any other, and the record never shows what it says. */
export async function postMail(
  tx: Kysely<Tables>,
  { userId, address, content, seal }: AccountMail,
  now: number,
): Promise<void> {
  await post(
    tx,
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

/** Whether the reader of the address refused mail, or the address belongs to a program. */
export async function isRefused(tx: Kysely<Tables>, address: string): Promise<boolean> {
  if (isServiceAddress(address)) return true;
  const refusal = await tx.selectFrom('mailRefusals').select('id').where('address', '=', address).executeTakeFirst();
  return refusal !== undefined;
}
