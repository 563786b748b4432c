import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '../../../api/messages.ts';
import { turnsOf } from './turns.ts';

const said = (id: number, replyId: number | null = null) => ({ id, replyId }) as Message;
const shown = (...messages: Message[]) => turnsOf(messages).map(({ message, reply }) => [message.id, reply?.id]);

test('a reply stands with the command that it answers, and nowhere else', () => {
  assert.deepEqual(shown(said(1, 3), said(2), said(3), said(4)), [
    [1, 3],
    [2, undefined],
    [4, undefined],
  ]);
});

test('a reply that was not read, or stands with another command already, is not shown twice', () => {
  assert.deepEqual(shown(said(1, 9)), [[1, undefined]]);
  assert.deepEqual(shown(said(1, 3), said(2, 3), said(3)), [
    [1, 3],
    [2, undefined],
  ]);
});
