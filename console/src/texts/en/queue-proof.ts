/** The proof that a queue belongs to the user who forwards data to it. */
export const queueProof = {
  action: 'Prove this queue',
  missing: 'Nothing is sent until you prove that this queue is yours.',
  held: 'Another account uses this queue. If it is yours, prove it and try again.',
  badge: 'Needs proof',
  title: 'Prove this queue',
  sendText: 'We send a message with a code to this queue. Read the code there and enter it here.',
  send: 'Send code',
  sent: 'The code is in the queue. It is valid for one hour.',
  code: 'Code',
  codeHint: 'The value of “code” in the message.',
  confirm: 'Confirm',
  again: 'Send again',
  proven: 'The queue is yours. Data is sent from now on.',
  wrongCode: 'This code is wrong or too old. Enter the latest code from the queue, or send a new one.',
  notSent: (reason: string) => `The code could not be sent. ${reason}`,
};
