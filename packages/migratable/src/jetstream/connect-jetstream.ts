import type { Messages } from '../messages.ts';
import { bindLog, unbindLog } from './bind-log.ts';
import { connectionOptions } from './connection-options.ts';
import { consumeJetStream } from './consume-jetstream.ts';
import { declareQueue } from './declare-queue.ts';
import type { JetStreamOptions } from './jetstream-options.ts';
import type { JetStreamQueue, Start } from './jetstream-queue.ts';
import { NatsLink } from './nats-link.ts';
import { peekJetStream } from './peek-jetstream.ts';
import { queueFacts } from './queue-facts.ts';
import type { Log } from './queue-record.ts';
import { ifFound, removeQueue } from './find-record.ts';
import { sendMessage } from './send-message.ts';
import { isStreamName } from './record-subject.ts';
import { QueueSweep } from './sweep-queues.ts';

export type { JetStreamOptions, JetStreamQueue, Log, Start };

/** One connection, opened at once, and again whenever it is lost. */
export type JetStreamConnection = Messages & {
  /**
   * For an application: declares the queue where it is missing, and has it read the stream from its first message on, or from the next
   * one that is published. Does nothing if it reads that stream already. Rejects as {@link bindQueue}.
   */
  subscribe(queue: string, log: Log, start?: Start): Promise<void>;
  /**
   * Has a queue read a stream from the next message on that is published; does nothing if it does already. Rejects with `NotFound`
   * if either is missing, with `Rejected` for a stream that deletes what was read, and for a queue that reads something else.
   */
  bindQueue(queue: string, log: Log): Promise<void>;
  /** From now on it does not. What it has not read is not among its messages any more. */
  unbindQueue(queue: string, log: Log): Promise<void>;
  /** Undefined if the queue does not exist. */
  queue(name: string): Promise<JetStreamQueue | undefined>;
  streamExists(name: string): Promise<boolean>;
  /** With what was sent straight to it. Does nothing if it does not exist. */
  deleteQueue(name: string): Promise<void>;
  /** Ends it; what is not acked goes back. */
  close(): Promise<void>;
};

/** The messages of NATS JetStream, 2.9 or later. Throws `Malformed` for a URL, a seed or a credentials file that is none. */
export function connectJetStream(options: JetStreamOptions): JetStreamConnection {
  const link = new NatsLink(connectionOptions(options), options.clock);
  const sweep = new QueueSweep(link);
  const declare: Messages['declareQueue'] = async (name, queue) => {
    await declareQueue(link, name, queue);
    await sweep.look();
  };
  return {
    declareQueue: declare,
    send: (queue, message) => sendMessage(link, queue, message),
    peek: (queue) => peekJetStream(link, queue),
    consume: (queue, consumed) => consumeJetStream(link, queue, consumed),
    async subscribe(queue, log, start = 'first') {
      await declare(queue);
      await bindLog(link, queue, log, start);
    },
    bindQueue: (queue, log) => bindLog(link, queue, log, 'next'),
    unbindQueue: (queue, log) => unbindLog(link, queue, log),
    queue: (name) => queueFacts(link, name),
    streamExists: async (name) =>
      isStreamName(name) && (await ifFound(link.use(({ streams }) => streams.info(name)))) !== undefined,
    deleteQueue: (name) => removeQueue(link, name),
    close: () => link.close(),
  };
}
