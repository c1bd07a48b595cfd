import { OperatorError } from '../../../operator-error.ts';
import type { BrokerCore } from '../in-process/broker-core.ts';
import type { ChannelConsumer, InProcessChannel } from '../in-process/in-process-channel.ts';
import type { Entry, Return } from '../in-process/in-process-queue.ts';
import type { RawMessage } from '../in-process/raw-message.ts';
import { bodyFrames, type Frame, frame } from './frame-parser.ts';
import { type MethodName, writeMethod } from './method.ts';
import { readProperties, writeProperties } from './properties.ts';
import { Reader } from './reader.ts';
import { type Answer, type Handler, textOf, topologyMethods, type Values } from './topology-methods.ts';
import { Writer } from './writer.ts';

export type AmqpChannelOptions = {
  readonly core: BrokerCore;
  readonly id: number;
  /** Whose the channel is. */
  readonly connection: object;
  readonly frameMax: number;
  readonly write: (bytes: Buffer) => void;
  /** Closed by the broker. */
  readonly closed: () => void;
};

/** An incoming message, frame by frame. */
type Incoming = { readonly values: Values; message?: RawMessage; readonly parts: Buffer[]; missing: number };

const MOST_BODY = 16 * 1024 * 1024;
const BASIC = 60;
const NO_ROUTE = 312;

/**
 * One channel of a client: handles methods, sends responses and messages. Throws `OperatorError` for rejected methods.
 */
export class AmqpChannel {
  readonly #options: AmqpChannelOptions;
  readonly #channel: InProcessChannel;
  readonly #handlers: Readonly<Record<string, Handler>>;
  readonly #consumers = new Map<string, ChannelConsumer>();
  #incoming: Incoming | undefined;
  #prefetch = 0;
  #tags = 0;
  /** Messages published since confirms were selected. */
  #confirmed: number | undefined;

  constructor(options: AmqpChannelOptions) {
    this.#options = options;
    this.#channel = options.core.openChannel(options.closed);
    this.#handlers = {
      ...topologyMethods(options.core, options.connection),
      ...this.#consuming(),
      ...this.#publishing(),
    };
  }

  /** Unacked messages are requeued. */
  close(): void {
    this.#channel.close();
  }

  send(...[name, values]: Answer): void {
    this.#options.write(frame('method', this.#options.id, writeMethod(name, values)));
  }

  method(name: MethodName, values: Values): void {
    const handle = Object.hasOwn(this.#handlers, name) ? this.#handlers[name] : undefined;
    if (handle === undefined) throw new OperatorError('Usage', `${name} is not implemented`);
    const answer = handle(values);
    if (answer !== undefined && values['noWait'] !== true) this.send(...answer);
  }

  /** Part of an incoming message. */
  content({ type, payload }: Frame): void {
    const incoming = this.#incoming;
    if (incoming === undefined) throw new OperatorError('Usage', 'a message begins with its method');
    if (type === 'header') header(incoming, new Reader(payload));
    else {
      incoming.missing -= payload.length;
      incoming.parts.push(payload);
    }
    if (incoming.missing > 0 || incoming.message === undefined) return;
    this.#incoming = undefined;
    this.#publish(incoming.values, { ...incoming.message, body: Buffer.concat(incoming.parts) });
  }

  #publish(values: Values, message: RawMessage): void {
    const [exchange, routingKey] = [textOf(values, 'exchange'), textOf(values, 'routingKey')];
    const queues = this.#options.core.publish(exchange, routingKey, message);
    if (queues === 0 && values['mandatory'] === true)
      this.#content('basic.return', { code: NO_ROUTE, text: 'NO_ROUTE', exchange, routingKey }, message);
    if (this.#confirmed === undefined) return;
    this.#confirmed += 1;
    this.send('basic.ack', { delivery: this.#confirmed });
  }

  #publishing(): Readonly<Record<string, Handler>> {
    return {
      'basic.publish': (values) => {
        this.#incoming = { values, parts: [], missing: 0 };
        return undefined;
      },
      'confirm.select': () => {
        this.#confirmed ??= 0;
        return ['confirm.select-ok'];
      },
    };
  }

  #consuming(): Readonly<Record<string, Handler>> {
    const settled = (isThere: boolean): undefined => {
      if (!isThere) throw new OperatorError('Failed', 'unknown delivery tag');
    };
    const tagOf = (values: Values): number => Number(values['delivery']) || Number.POSITIVE_INFINITY;
    const isMultiple = (values: Values): boolean => values['multiple'] === true;
    const back =
      (how: Return) =>
      (values: Values): undefined => {
        const { requeue } = values;
        const isAll = values['delivery'] === 0 && isMultiple(values);
        if (requeue === true)
          return settled(this.#channel.requeue(tagOf(values), how, isMultiple(values)) || isAll);
        return settled(this.#channel.ack(tagOf(values), isMultiple(values)));
      };
    return {
      'basic.qos': ({ prefetch }) => {
        this.#prefetch = Number(prefetch);
        return ['basic.qos-ok'];
      },
      'basic.consume': (values) => this.#consume(values),
      'basic.cancel': (values) => {
        const tag = textOf(values, 'tag');
        const consumer = this.#consumers.get(tag);
        if (consumer !== undefined) this.#channel.cancel(consumer);
        this.#consumers.delete(tag);
        return ['basic.cancel-ok', { tag }];
      },
      'basic.get': (values) => this.#get(values),
      'basic.ack': (values) => settled(this.#channel.ack(tagOf(values), isMultiple(values))),
      'basic.nack': back('nacked'),
      'basic.reject': back('failed'),
    };
  }

  #consume(values: Values): undefined {
    const queue = this.#options.core.queue(textOf(values, 'queue'));
    const tag = textOf(values, 'tag') || `ctag-${(this.#tags += 1)}`;
    // The response must precede the first message.
    const early: (() => void)[] = [];
    let isAnswered = false;
    const consumer = this.#channel.consume(queue, {
      prefetch: this.#prefetch,
      exclusive: values['exclusive'] === true,
      noAck: values['noAck'] === true,
      deliver: (delivery, entry) => {
        const deliver = (): void => this.#deliver('basic.deliver', { tag, delivery }, entry);
        if (isAnswered) deliver();
        else early.push(deliver);
      },
      gone: () => this.send('basic.cancel', { tag, noWait: true }),
    });
    this.#consumers.set(tag, consumer);
    if (values['noWait'] !== true) this.send('basic.consume-ok', { tag });
    isAnswered = true;
    for (const deliver of early) deliver();
    return undefined;
  }

  #get(values: Values): Answer | undefined {
    const queue = this.#options.core.queue(textOf(values, 'queue'));
    const got = this.#channel.get(queue);
    if (got === undefined) return ['basic.get-empty'];
    this.#deliver('basic.get-ok', { delivery: got.tag, messages: queue.ready }, got.entry);
    if (values['noAck'] === true) this.#channel.ack(got.tag);
    return undefined;
  }

  #deliver(name: MethodName, values: Values, entry: Entry): void {
    const { exchange = '', routingKey = '' } = entry.message;
    const { redelivered } = entry;
    this.#content(name, { ...values, redelivered, exchange, routingKey }, counted(entry));
  }

  #content(name: MethodName, values: Values, { properties, body }: RawMessage): void {
    const { id, frameMax, write } = this.#options;
    const header = new Writer().uint16(BASIC).uint16(0).uint64(body.length).raw(writeProperties(properties));
    const frames = [
      frame('method', id, writeMethod(name, values)),
      frame('header', id, header.bytes),
      ...bodyFrames(id, body, frameMax),
    ];
    write(Buffer.concat(frames));
  }
}

/** With the headers in which a quorum queue says how often the message came back. */
function counted({ message, returns, acquired }: Entry): RawMessage {
  if (returns === 0) return message;
  const counts = { 'x-delivery-count': returns, 'x-acquired-count': acquired };
  const headers = { ...(message.properties['headers'] as Values | undefined), ...counts };
  return { ...message, properties: { ...message.properties, headers } };
}

function header(incoming: Incoming, reader: Reader): void {
  reader.uint32();
  incoming.missing = reader.uint64();
  if (incoming.missing > MOST_BODY)
    throw new OperatorError('Failed', `a message has at most ${MOST_BODY} bytes`);
  incoming.message = { properties: readProperties(reader), body: Buffer.alloc(0) };
}
