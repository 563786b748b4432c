import { type Logger, pino } from 'pino';
import { type LogOutput, logOutput, readable } from './log-output.ts';

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
