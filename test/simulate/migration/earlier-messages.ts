import type { Delivery, FencedCommand, Messages } from '@kubewright/migratable';

export type Barrier = Extract<FencedCommand, { readonly type: 'pause' }>;

/** What the SDK of a source does not know, so that its migration comes to this step. */
export function ofEarlier(step: string | number): readonly (keyof Barrier)[] {
  if (step === 'Snapshot') return ['snapshot'];
  return step === 'Restore' ? ['successor'] : [];
}

/** Of a process with an earlier SDK: fields of a barrier that it does not know. */
export function earlierMessages(messages: Messages, unknown: readonly (keyof Barrier)[]): Messages {
  return {
    declareQueue: (name, options) => messages.declareQueue(name, options),
    send: (queue, message) => messages.send(queue, message),
    peek: (queue) => messages.peek(queue),
    async *consume(queue, options) {
      for await (const delivery of messages.consume(queue, options)) yield without(delivery, unknown);
    },
  };
}

function without({ message, ack }: Delivery, unknown: readonly (keyof Barrier)[]): Delivery {
  const { body } = message;
  if (!isPause(body)) return { message, ack };
  const known = Object.entries(body).filter(([field]) => !(unknown as readonly string[]).includes(field));
  return { message: { ...message, body: Object.fromEntries(known) }, ack };
}

function isPause(body: unknown): body is object {
  return typeof body === 'object' && body !== null && 'type' in body && body.type === 'pause';
}
