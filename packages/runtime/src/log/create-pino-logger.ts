import { type DestinationStream, type Logger as Pino, pino } from 'pino';
import { defined, errorText } from '@kubewright/kube';
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
  const serializers = { error: loggedError };
  const target = pino(
    { level, serializers, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    destination,
  );
  return adapt(target, () => target);
}

type LoggedError = {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  readonly reason?: string;
  readonly stack?: string;
};

/**
 * An error as it is logged: its texts, its codes, and where it was thrown. Other properties may be a response, a request or an
 * address with a password.
 */
function loggedError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: errorText(error) };
  const { code, reason, cause } = error as Error & { readonly code?: unknown; readonly reason?: unknown };
  const below = cause instanceof Error ? `: ${cause.message}` : '';
  const { name: type, stack } = error;
  return {
    type,
    message: `${error.message}${below}`,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...defined({ stack }),
  };
}

/** Each request has a logger of its own and most log nothing: `make` encodes its fields at its first line. */
function adapt(root: Pino, make: () => Pino): Logger {
  let made: Pino | undefined;
  const target = (): Pino => (made ??= make());
  const at =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields: LogFields = {}): void => {
      if (root.isLevelEnabled(level)) target()[level](fields, message);
    };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => adapt(root, () => target().child(fields)),
  };
}
