import { type Content, openContent } from '../platform/outbox/channel.ts';
import { createVault, newKey } from '../platform/vault.ts';

/** A vault for tests, with a key that ends with the process. */
export const testVault = createVault([newKey()]);

/** The content of a mail in the outbox, which is encrypted there. */
export const readMail = ({ messageId, content }: { readonly messageId: string; readonly content: string }): Content =>
  openContent(testVault, messageId, JSON.parse(content) as Content);
