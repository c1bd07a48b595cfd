import { MigratableError } from '../../migratable-error.ts';

/** No NATS server takes larger messages. */
const MOST_BYTES = 64 * 1024 * 1024;
/** How many arguments they have, without and with a subject for responses. */
const MESSAGES: Readonly<Record<string, readonly [number, number]>> = { MSG: [3, 4], HMSG: [4, 5] };

/** The size of the payload after a line of a server; undefined: it has none. Throws `Malformed` for a line that is none. */
export function payloadOf(line: string): number | undefined {
  const [verb = '', ...args] = line.trim().split(/[ \t]+/);
  const name = verb.toUpperCase();
  const counts = Object.hasOwn(MESSAGES, name) ? MESSAGES[name] : undefined;
  if (counts !== undefined) return sizeOf(name, args, counts);
  if (name === 'INFO') checkInfo(line.trim().slice('INFO'.length));
  else if (name !== '-ERR' && !(args.length === 0 && ['PING', 'PONG', '+OK'].includes(name)))
    throw new MigratableError('Malformed', 'a line is no message of a server');
  return undefined;
}

function sizeOf(name: string, args: readonly string[], counts: readonly [number, number]): number {
  const [, subscription = ''] = args;
  const [headers, size] = [name === 'HMSG' ? numberOf(args.at(-2)) : 0, numberOf(args.at(-1))];
  const isMessage = counts.includes(args.length) && !Number.isNaN(numberOf(subscription));
  if (!isMessage || Number.isNaN(size) || !(headers <= size))
    throw new MigratableError('Malformed', `${name} has other arguments than a message`);
  if (size > MOST_BYTES)
    throw new MigratableError('Malformed', `a message of ${size} bytes, more than ${MOST_BYTES}`);
  return size;
}

function numberOf(text = ''): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

/** The client needs the version, and throws for one that is none where nobody can catch it. */
function checkInfo(text: string): void {
  const info = objectIn(text);
  const version: unknown = info === undefined ? undefined : info['version'];
  if (typeof version !== 'string' || !/^v?\d{1,9}\.\d{1,9}\.\d{1,9}/.test(version))
    throw new MigratableError('Malformed', 'INFO has no version of a server');
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
