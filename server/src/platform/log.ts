import { type Logger, pino } from 'pino';
import { type LogOutput, logOutput } from './log-output.ts';

export type Log = Pick<Logger, 'error' | 'warn' | 'info' | 'debug'>;

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;

/**
 * Writes JSON lines to standard output. Callers must not log anything that may contain a secret: no address with a
 * query, no body.
 */
export function createLog(level: string): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { error: pino.stdSerializers.err },
    },
    output(),
  );
}

let standard: LogOutput | undefined;

/** One for all logs of the process. */
function output(): LogOutput {
  standard ??= logOutput(process.stdout);
  return standard;
}
