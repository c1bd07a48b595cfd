import { RetentionPolicy, type StreamConfig } from '@nats-io/jetstream';
import { MigratableError } from '../migratable-error.ts';
import type { Start } from './jetstream-queue.ts';
import type { NatsLink } from './nats-link.ts';
import { isSameLog, type Log, type QueueRecord } from './queue-record.ts';
import { findRecord, writeRecord } from './find-record.ts';
import { isFilter, isOverlap, isStreamName } from './record-subject.ts';

/**
 * Has a queue read a log; does nothing if it does already. Rejects with `NotFound` if either is missing, with `Rejected` if the queue
 * reads another one, if the stream has no such subjects, or if it deletes messages that others have read.
 */
export async function bindLog(link: NatsLink, queue: string, log: Log, start: Start): Promise<void> {
  if (!isFilter(log.subject))
    throw new MigratableError('Rejected', `'${log.subject}' is not a subject, with or without wildcards`);
  if (!isStreamName(log.stream)) throw new MigratableError('NotFound', `no stream is named '${log.stream}'`);
  const change = async (record: QueueRecord): Promise<QueueRecord | undefined> => {
    if (isSameLog(record.log, log)) return undefined;
    if (record.log !== undefined)
      throw new MigratableError('Rejected', `queue ${queue} reads stream ${record.log.stream}`);
    const { config, state, created: madeAt } = await link.use(({ streams }) => streams.info(log.stream));
    checkStream(config, log);
    const position = { ...record.position, log: start === 'next' ? state.last_seq : 0 };
    return { ...record, log: { ...log, madeAt }, position };
  };
  if (!(await changeRecord(link, queue, change)))
    throw new MigratableError('NotFound', `there is no queue ${queue}`);
}

function checkStream({ retention, subjects, sources, mirror }: StreamConfig, log: Log): void {
  if (retention !== RetentionPolicy.Limits)
    throw new MigratableError('Rejected', `stream ${log.stream} has no retention by limits`);
  // What it takes from other streams may be on any subject.
  if (sources !== undefined || mirror !== undefined) return;
  if (!subjects.some((subject) => isOverlap(subject, log.subject)))
    throw new MigratableError('Rejected', `stream ${log.stream} has no subject ${log.subject}`);
}

/** What the queue has not read of the log is not among its messages any more. Does nothing if it does not read this log. */
export async function unbindLog(link: NatsLink, queue: string, log: Log): Promise<void> {
  await changeRecord(link, queue, async (record) => {
    if (!isSameLog(record.log, log)) return undefined;
    const { log: _log, ...rest } = record;
    return { ...rest, position: { ...record.position, log: 0 } };
  });
}

/** Until no other write comes between; false if there is no queue. `change` returns undefined where nothing is to be changed. */
async function changeRecord(
  link: NatsLink,
  queue: string,
  change: (record: QueueRecord) => Promise<QueueRecord | undefined>,
): Promise<boolean> {
  for (;;) {
    const known = await findRecord(link, queue);
    if (known === undefined) return false;
    const record = await change(known.record);
    if (record === undefined) return true;
    if ((await writeRecord(link, queue, { record, revision: known.revision })) !== undefined) return true;
  }
}
