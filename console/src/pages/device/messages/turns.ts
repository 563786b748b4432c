import type { Message } from '../../../api/messages.ts';

export interface Turn {
  readonly message: Message;
  /** With which the device answered it. */
  readonly reply: Message | undefined;
}

/** Messages in their order, each with the reply to it; a reply stands nowhere else. */
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
