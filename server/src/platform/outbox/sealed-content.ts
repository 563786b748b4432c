import type { Vault } from '../vault.ts';
import type { Content } from './channel.ts';

/** Of a content that lets in whoever reads it: it lies encrypted until it is sent. */
const SEALED_TYPE = 'application/vnd.trackway.sealed';

export const sealedContext = (messageId: string) => `outbox.content:${messageId}`;

export const isSealedContent = ({ type }: Pick<Content, 'type'>) => type === SEALED_TYPE;

export const sealContent = (seal: Vault['seal'], messageId: string, content: Content): Content => ({
  type: SEALED_TYPE,
  text: seal(JSON.stringify(content), sealedContext(messageId)),
});

/** As it is to be sent. Throws CannotOpen where the key is another. */
export const openContent = (vault: Pick<Vault, 'open'>, messageId: string, content: Content): Content =>
  isSealedContent(content) ? (JSON.parse(vault.open(content.text, sealedContext(messageId))) as Content) : content;
