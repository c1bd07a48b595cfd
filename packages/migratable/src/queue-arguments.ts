import type { QueueOptions } from './messages.ts';

/**
 * A queue's options as AMQP's arguments, under RabbitMQ's names. The type is named: a virtual host may have another default, and
 * who looks at the head of a quorum queue counts as having failed at its message.
 */
export function queueArguments({
  maxLength,
  expiresMs,
}: QueueOptions = {}): Readonly<Record<string, number | string>> {
  return {
    'x-queue-type': 'classic',
    ...(maxLength === undefined ? {} : { 'x-max-length': maxLength }),
    ...(expiresMs === undefined ? {} : { 'x-expires': expiresMs }),
  };
}
