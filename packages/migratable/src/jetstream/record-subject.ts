import { MigratableError } from '../migratable-error.ts';
import { LONGEST_NAME } from '../protocol.ts';

/** The stream of the queues' records: the last one of each. */
export const QUEUES = 'MS2M_QUEUES';
/** The stream of what is sent straight to a queue. */
export const MESSAGES = 'MS2M_MESSAGES';

const RECORDS = 'ms2m.queue';
const OWN = 'ms2m.own';

export const ALL_RECORDS: string = `${RECORDS}.*`;
export const ALL_OWN: string = `${OWN}.*`;

/** Where the record of a queue is. */
export const recordSubject = (queue: string): string => `${RECORDS}.${tokenOf(queue)}`;
/** Where messages are that are sent straight to a queue. */
export const ownSubject = (queue: string): string => `${OWN}.${tokenOf(queue)}`;
/** The record of the queue that has its messages there. */
export const recordOfOwn = (own: string): string => RECORDS + own.slice(OWN.length);
/** Where a consumer responds as long as it consumes. */
export const aliveSubject = (consumer: string): string => `ms2m.alive.${consumer}`;

/** One token of a subject, whatever the name is: bytes with a meaning there, and others that are not ASCII letters, are in hex. */
function tokenOf(queue: string): string {
  if (queue === '' || Buffer.byteLength(queue) > LONGEST_NAME)
    throw new MigratableError('Rejected', `the name of a queue has 1 to ${LONGEST_NAME} bytes`);
  const encode = (byte: number): string => `=${byte.toString(16).padStart(2, '0')}`;
  return Array.from(Buffer.from(queue), (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9_-]/.test(character) ? character : encode(byte);
  }).join('');
}

/** Whether it can filter a stream: tokens without spaces, with `*` as one and `>` as the rest. */
export function isFilter(subject: string): boolean {
  const tokens = subject.split('.');
  return tokens.every(
    (token, index) =>
      token === '*' || (token === '>' && index === tokens.length - 1) || /^[^\s*>.]+$/.test(token),
  );
}

/** Whether there are subjects that both match. */
export function isOverlap(one: string, other: string): boolean {
  const [tokens, others] = [one.split('.'), other.split('.')];
  for (let index = 0; index < Math.max(tokens.length, others.length); index++) {
    const [token, against] = [tokens[index], others[index]];
    if (token === undefined || against === undefined) return false;
    if (token === '>' || against === '>') return true;
    if (token !== '*' && against !== '*' && token !== against) return false;
  }
  return true;
}

/** Whether a stream can have this name. */
export function isStreamName(name: string): boolean {
  return name.length <= LONGEST_NAME && /^[^\s.*>/\\]+$/.test(name);
}
