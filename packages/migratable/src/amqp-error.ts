import { AMQPError } from 'rabbitmq-client';
import { MigratableError, type MigratableErrorCode } from './migratable-error.ts';

const CODES: Readonly<Record<string, MigratableErrorCode>> = {
  NOT_FOUND: 'NotFound',
  PRECONDITION_FAILED: 'Rejected',
  ACCESS_REFUSED: 'Forbidden',
  RESOURCE_LOCKED: 'Rejected',
  NOT_ALLOWED: 'Rejected',
  NOT_IMPLEMENTED: 'Rejected',
  NACK: 'Rejected',
};

/** What a broker, or the way to it, failed with. Its text holds no credentials: the client's errors have none. */
export function amqpError(error: unknown, always?: MigratableErrorCode): MigratableError {
  if (error instanceof MigratableError) return error;
  const text = error instanceof Error ? error.message : 'no reason is given';
  const name = error instanceof AMQPError ? error.code : '';
  const code = always ?? (isInUse(text) ? 'Rejected' : CODES[name]) ?? 'Unavailable';
  return new MigratableError(code, name === '' ? text : `${name}: ${text}`, { cause: error });
}

/** Another consumer has the queue alone: that has the code of a right that is lacking. */
function isInUse(text: string): boolean {
  return text.includes('exclusive use');
}
