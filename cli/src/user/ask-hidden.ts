import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Failure } from '../command.ts';

/** Prompts on the terminal without showing the input. */
export function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  // The line editor echoes to its output, so an output that discards everything hides the input.
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const line = createInterface({ input: process.stdin, output: discard, terminal: true });
  return new Promise((answer, fail) => {
    line.once('line', (typed) => {
      line.removeAllListeners('close');
      answer(typed);
      line.close();
    });
    line.once('SIGINT', () => line.close());
    line.once('close', () => fail(new Failure('Cancelled. Nothing was changed.')));
  }).finally(() => process.stderr.write('\n')) as Promise<string>;
}
