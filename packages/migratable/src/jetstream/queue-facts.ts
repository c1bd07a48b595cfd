import { consumerState } from './consumer-state.ts';
import { countFrom } from './count-from.ts';
import { findRecord, refreshRecord } from './find-record.ts';
import type { JetStreamQueue } from './jetstream-queue.ts';
import type { Nats, NatsLink } from './nats-link.ts';
import type { Log, QueueRecord } from './queue-record.ts';
import { MESSAGES, ownSubject } from './record-subject.ts';

/** Undefined if the queue does not exist. */
export async function queueFacts(link: NatsLink, queue: string): Promise<JetStreamQueue | undefined> {
  const known = await findRecord(link, queue);
  if (known === undefined) return undefined;
  await refreshRecord(link, queue, known);
  const { owner } = known.record;
  const [own, logged, state] = await Promise.all([
    link.use((nats) => ownOf(nats, queue)),
    link.use((nats) => unread(nats, known.record)),
    owner === undefined ? 'gone' : consumerState(link, owner),
  ]);
  return { ready: own + logged, consumers: state === 'gone' ? 0 : 1 };
}

async function ownOf({ streams }: Nats, queue: string): Promise<number> {
  const subject = ownSubject(queue);
  const { state } = await streams.info(MESSAGES, { subjects_filter: subject });
  return state.subjects?.[subject] ?? 0;
}

async function unread(nats: Nats, { log, position, options }: QueueRecord): Promise<number> {
  if (log === undefined) return 0;
  const { state } = await nats.streams.info(log.stream);
  const from = position.log + 1;
  // It is not the queue that drops messages, but the log. Whether they were the queue's is not known any more: as if they were.
  const least = options.maxLength !== undefined && state.first_seq > from ? options.maxLength : 0;
  return Math.max(least, (await isRead(nats, log, from)) ? 0 : await countFrom(nats, log, from));
}

/** Most queues are: they need no count. */
async function isRead({ streams }: Nats, { stream, subject }: Log, from: number): Promise<boolean> {
  const query = { seq: from, next_by_subj: subject };
  return (await streams.getMessage(stream, query)) === null;
}
