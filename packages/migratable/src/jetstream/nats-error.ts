import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { MigratableError, type MigratableErrorCode } from '../migratable-error.ts';

/** Of what the client rejects before it sends it. */
const REJECTED = [errors.InvalidSubjectError, errors.InvalidArgumentError];
/** JetStream's code where the last message of a subject is another one than a write expects. */
const WRONG_LAST_SEQUENCE = 10_071;
/** Its codes where a cluster has fewer servers than a stream has replicas. */
const WITHOUT_PEERS: ReadonlySet<number> = new Set([10_005, 10_023, 10_074]);

/** What a server, or the way to it, failed with. Its text holds no credentials: the client's errors have none. */
export function natsError(error: unknown): MigratableError {
  if (error instanceof MigratableError) return error;
  const text = error instanceof Error ? error.message : 'no reason is given';
  return new MigratableError(codeOf(error), text, { cause: error });
}

/** Whether a write was rejected because somebody else has written. */
export function isConflict({ cause }: MigratableError): boolean {
  return cause instanceof JetStreamApiError && cause.code === WRONG_LAST_SEQUENCE;
}

/** Whether no stream can have so many replicas. */
export function isWithoutPeers({ cause }: MigratableError): boolean {
  return cause instanceof JetStreamApiError && WITHOUT_PEERS.has(cause.code);
}

function codeOf(error: unknown): MigratableErrorCode {
  if (error instanceof JetStreamApiError) {
    if (error.status === 404) return 'NotFound';
    return error.status < 500 ? 'Rejected' : 'Unavailable';
  }
  const cause = error instanceof Error ? error.cause : undefined;
  const isOf = (type: new (...given: never[]) => Error): boolean =>
    error instanceof type || cause instanceof type;
  if (isOf(errors.PermissionViolationError)) return 'Forbidden';
  const isRejected = REJECTED.some(isOf);
  return isRejected ? 'Rejected' : 'Unavailable';
}
