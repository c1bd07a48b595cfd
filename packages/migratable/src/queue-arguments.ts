import type { QueueOptions } from './messages.ts';

/** A queue's options as AMQP's arguments, under RabbitMQ's names. */
export function queueArguments({
  maxLength,
  expiresMs,
}: QueueOptions = {}): Readonly<Record<string, number>> {
  return {
    ...(maxLength === undefined ? {} : { 'x-max-length': maxLength }),
    ...(expiresMs === undefined ? {} : { 'x-expires': expiresMs }),
  };
}
