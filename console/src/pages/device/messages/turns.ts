import type { Message } from '../../../api/messages.ts';

export interface Turn {
  readonly message: Message;
  /** The device's reply. */
  readonly reply: Message | undefined;
}

/** Messages in order, each with its reply; a reply is not listed separately. */
export function turnsOf(messages: readonly Message[]): Turn[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const replies = new Map<number, number>();
  for (const { id, replyId } of messages)
    if (replyId !== null && byId.has(replyId) && !replies.has(replyId)) replies.set(replyId, id);
  return messages
    .filter(({ id }) => !replies.has(id))
    .map((message) => ({
      message,
      reply:
        message.replyId !== null && replies.get(message.replyId) === message.id ? byId.get(message.replyId) : undefined,
    }));
}
