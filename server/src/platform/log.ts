import type { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';

export type Log = Pick<Logger, 'error' | 'warn' | 'info' | 'debug'>;

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;

/**
 * Writes JSON lines, or text for people if standard output is a terminal. Callers must not log anything that may contain a secret: no address with a
 * query, no body.
 */
export function createLog(level: string, output: LogOutput = standardOutput()): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { error: pino.stdSerializers.err },
    },
    output,
  );
}

let standard: LogOutput | undefined;

/** Shared by all logs of the process. */
function standardOutput(): LogOutput {
  standard ??= process.stdout.isTTY ? logOutput(process.stdout, readable) : logOutput(process.stdout);
  return standard;
}

/** The output of log lines. */
interface LogOutput {
  write(line: string): void;
}

const MAX_WAITING = 4 * 1024 * 1024;

/**
 * While the output is not read, the server continues, keeps as many lines as fit, and later logs how many are missing.
 * If the reader is gone, it continues without a log. (With the logger's own stream, an ending process waits for ever
 * for a reader that is gone.)
 */
function logOutput(stream: Writable, form: (line: string) => string = (line) => line): LogOutput {
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
      if (dropped > 0) stream.write(form(droppedLine(dropped)));
      dropped = 0;
      stream.write(form(line));
    },
  };
}

const droppedLine = (count: number) =>
  `${JSON.stringify({ level: 40, time: new Date().toISOString(), msg: `${count} lines of the log were dropped because they were not read` })}\n`;

const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'ERROR', 60: 'FATAL' };

/** A line for people at a terminal: local time, level, message, then other fields as `name=value`. */
export function readable(line: string): string {
  const { level, time, msg, error, ...fields } = JSON.parse(line);
  const words = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const clock = new Date(time).toLocaleTimeString('sv');
  return `${[clock, (LEVELS[level] ?? '').padEnd(5), msg, ...words, ...(error ? [`\n${error.stack}`] : [])].join(' ')}\n`;
}
