import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Failure } from '../command.ts';

/** Asks on the terminal and does not show what is typed. */
export function askUnseen(question: string): Promise<string> {
  process.stderr.write(question);
  // Given nothing to write to, the line editor works as ever and shows nothing.
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const line = createInterface({ input: process.stdin, output: unseen, terminal: true });
  return new Promise((answer, fail) => {
    line.once('line', (typed) => {
      line.removeAllListeners('close');
      answer(typed);
      line.close();
    });
    line.once('SIGINT', () => line.close());
    line.once('close', () => fail(new Failure('Nothing was changed.')));
  }).finally(() => process.stderr.write('\n')) as Promise<string>;
}
