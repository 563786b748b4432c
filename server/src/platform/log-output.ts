import type { Writable } from 'node:stream';

/** Where the lines of the log go. */
export interface LogOutput {
  write(line: string): void;
}

const MAX_WAITING = 4 * 1024 * 1024;

/**
 * Where nobody reads for a while, the server goes on, keeps the lines that it has room for, and later tells how many are
 * missing. Where nobody reads any more, it goes on without a log. (With the stream that the logger brings along, a process
 * that ends waits for ever for a reader that is gone.)
 */
export function logOutput(stream: Writable): LogOutput {
  let isBroken = false;
  let dropped = 0;
  stream.on('error', () => {
    isBroken = true;
  });
  return {
    write(line) {
      if (isBroken) return;
      if (stream.writableLength + line.length > MAX_WAITING) {
        dropped++;
        return;
      }
      if (dropped > 0) stream.write(droppedLine(dropped));
      dropped = 0;
      stream.write(line);
    },
  };
}

const droppedLine = (count: number) =>
  `${JSON.stringify({ level: 40, time: new Date().toISOString(), msg: `${count} lines of the log were dropped: nobody read them` })}\n`;
