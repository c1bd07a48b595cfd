import type { Delivery, Messages } from '@kubewright/migratable';

/** Of a process with an earlier SDK: it stops at a barrier, and writes its state when it gets the command to. */
export function earlierMessages(messages: Messages): Messages {
  return {
    declareQueue: (name, options) => messages.declareQueue(name, options),
    send: (queue, message) => messages.send(queue, message),
    peek: (queue) => messages.peek(queue),
    async *consume(queue, options) {
      for await (const delivery of messages.consume(queue, options)) yield withoutSnapshot(delivery);
    },
  };
}

/** A field of the barrier that it does not know. */
function withoutSnapshot({ message, ack }: Delivery): Delivery {
  const { body } = message;
  if (!isPause(body)) return { message, ack };
  return { message: { ...message, body: { ...body, snapshot: undefined } }, ack };
}

function isPause(body: unknown): body is object {
  return typeof body === 'object' && body !== null && 'type' in body && body.type === 'pause';
}
