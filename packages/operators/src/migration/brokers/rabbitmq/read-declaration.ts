import { type AmqpConnection, nacksInPlace } from '@kubewright/migratable/amqp';
import { OperatorError } from '../../../operator-error.ts';
import type { DeliveryLimit } from '../broker.ts';
import type { Ask } from '../shared-connections.ts';

type Arguments = Readonly<Record<string, string | number | boolean>>;

const [TYPE, LIMIT] = ['x-queue-type', 'x-delivery-limit'];
/** Of quorum queues since RabbitMQ 4.0. Earlier ones have none by default. */
const DEFAULT = { since: 4, limit: 20 };
/**
 * No queue can be declared with these: a quorum queue has no priorities, and nobody else has that many. Where there is a queue, it is
 * compared first.
 */
const WRONG: Arguments = { [TYPE]: 'quorum', [LIMIT]: 'unknown', 'x-max-priority': 251 };
/** More than a quorum queue has. */
const MOST_ARGUMENTS = 20;

/**
 * The delivery limit of a queue. AMQP has no request for what a queue was declared with, but RabbitMQ rejects a declaration that
 * differs from that, and names what differs and how it is: one argument after the other is learned, until it is the limit. Undefined
 * without the right to configure the queue, and for all but quorum queues.
 */
export async function readDeliveryLimit(
  ask: Ask<AmqpConnection>,
  queue: string,
): Promise<DeliveryLimit | undefined> {
  const answer = await differing(ask, queue, WRONG, MOST_ARGUMENTS);
  if (answer?.argument !== LIMIT) return undefined;
  const version = await ask(async (connection) => connection.version ?? '');
  const isSince = Number(/^\d{1,4}/.exec(version)?.[0] ?? 0) >= DEFAULT.since;
  const limit = answer.value ?? (isSince ? DEFAULT.limit : -1);
  if (typeof limit !== 'number' || limit < 0) return undefined;
  return { limit, isOwn: answer.value !== undefined, countsPauses: !nacksInPlace(version), version };
}

/**
 * What a queue was declared with, its type among it, learned as its delivery limit is. Undefined without the right to configure the
 * queue, and where there is none.
 */
export async function readArguments(ask: Ask<AmqpConnection>, queue: string): Promise<Arguments | undefined> {
  let declared = WRONG;
  for (let left = MOST_ARGUMENTS; left > 0; left -= 1) {
    const message = await rejectionOf(ask, queue, declared);
    if (message === undefined) return learned(declared);
    const { argument, value } = differenceIn(message) ?? {};
    if (argument === undefined) return undefined;
    const { [argument]: _differs, ...others } = declared;
    declared = value === undefined ? others : { ...others, [argument]: value };
  }
  return undefined;
}

/** RabbitMQ does not compare what a queue of the type cannot have. */
function learned(declared: Arguments): Arguments {
  const isGuard = ([name, value]: readonly [string, unknown]): boolean =>
    name !== TYPE && WRONG[name] === value;
  return Object.fromEntries(Object.entries(declared).filter((argument) => !isGuard(argument)));
}

/** The first argument that the queue and `declared` differ in, but those of `declared` that are unknown only. */
async function differing(
  ask: Ask<AmqpConnection>,
  queue: string,
  declared: Arguments,
  left: number,
): Promise<Difference | undefined> {
  const message = await rejectionOf(ask, queue, declared);
  const difference = message === undefined ? undefined : differenceIn(message);
  if (difference?.value === undefined || difference.argument in declared || left === 0) return difference;
  const { argument, value } = difference;
  return differing(ask, queue, { ...declared, [argument]: value }, left - 1);
}

async function rejectionOf(
  ask: Ask<AmqpConnection>,
  queue: string,
  declared: Arguments,
): Promise<string | undefined> {
  try {
    await ask((connection) =>
      connection.onChannel((channel) => channel.queueDeclare({ queue, durable: true, arguments: declared })),
    );
    return undefined;
  } catch (error) {
    if (!(error instanceof OperatorError) || error.retryable) throw error;
    return error.message;
  }
}

/** `value`: of the queue; undefined where it was declared without the argument. */
type Difference = { readonly argument: string; readonly value?: string | number | boolean };

// "inequivalent arg 'x-expires' for queue 'orders' in vhost '/': received none but current is the value '1000' of type 'signedint'",
// and without the type where both have one.
const DIFFERS =
  /inequivalent arg '([\w-]+)' for queue .*but current is (?:none|(?:the value )?'([^']*)'(?: of type '(\w+)')?)/s;

/** Undefined where it says anything else: a text of a broker that is cut off, or of another broker. */
export function differenceIn(message: string): Difference | undefined {
  const [, argument, text, type] = DIFFERS.exec(message) ?? [];
  if (argument === undefined) return undefined;
  return text === undefined ? { argument } : { argument, value: valueOf(text, type) };
}

function valueOf(text: string, type: string | undefined): string | number | boolean {
  if (type === 'bool') return text === 'true';
  const isNumber = type === undefined || !type.endsWith('str');
  return isNumber && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}
