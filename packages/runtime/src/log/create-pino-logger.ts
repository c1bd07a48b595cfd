import { type DestinationStream, type Logger as Pino, pino } from 'pino';
import type { LogFields, Logger } from './logger.ts';

export type PinoLoggerOptions = {
  /** Default `info`. */
  readonly level?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Default: standard error, so that standard output stays the command's own. */
  readonly destination?: DestinationStream;
};

/** Logs JSON lines through pino. */
export function createPinoLogger(options: PinoLoggerOptions = {}): Logger {
  const { level = 'info', destination = pino.destination(2) } = options;
  const serializers = { error: pino.stdSerializers.err };
  return adapt(
    pino({ level, serializers, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination),
  );
}

function adapt(target: Pino): Logger {
  const at =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields: LogFields = {}): void =>
      target[level](fields, message);
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => adapt(target.child(fields)),
  };
}
