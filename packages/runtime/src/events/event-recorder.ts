import { type Client, type Clock, ignoreNotFound, type Random, type ResourceRef } from '@kubewright/client';
import { formatTime, type KubeObject } from '@kubewright/kube';
import type { Logger } from '../log/logger.ts';

/** Something worth telling the people who look at an object (`kubectl describe`). */
export type EventNote = {
  readonly type: 'Normal' | 'Warning';
  /** One word in CamelCase; machines match it. */
  readonly reason: string;
  readonly message: string;
};

export type EventRecorder = {
  /** Tells of `object`. Never rejects: an event that cannot be written is logged. */
  record(object: KubeObject, note: EventNote): Promise<void>;
};

export type EventRecorderOptions = {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: Random;
  /** Who tells: the controller's name. */
  readonly component: string;
};

const EVENTS: ResourceRef = { group: '', version: 'v1', resource: 'events', kind: 'Event', namespaced: true };
/** Notes that are remembered, so that a repetition is counted instead of written anew; the oldest are forgotten. */
const REMEMBERED = 4096;
/** Kubernetes' bound on a message, in bytes; cut by characters, which are at least as few. */
const LONGEST_MESSAGE = 1024;

/** Event names end in nanoseconds of which the clock gives only the milliseconds; the rest is counted up. */
const NANOSECONDS = 1_000_000n;

type Told = { readonly namespace: string; readonly name: string; readonly count: number };

/** Writes `v1` Events. The same note on the same object becomes one Event with a count. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { log } = options;
  const told = new Map<string, Told>();
  const nextSuffix = suffixes(options);
  const write = async (object: KubeObject, note: EventNote): Promise<void> => {
    const { uid, name } = object.metadata;
    const key = JSON.stringify([uid, name, note.type, note.reason, note.message]);
    const now = await tell({ ...options, nextSuffix }, object, note, told.get(key));
    told.delete(key);
    told.set(key, now);
    const [oldest] = told.size > REMEMBERED ? told.keys() : [];
    if (oldest !== undefined) told.delete(oldest);
  };
  // One at a time: two notes at once must not both be the first.
  let last: Promise<void> = Promise.resolve();
  return {
    record(object, note) {
      last = last
        .then(() => write(object, note))
        .catch((error: unknown) => log.warn('an event could not be written', { error, reason: note.reason }));
      return last;
    },
  };
}

/** Counts a repetition up; Events are deleted after an hour, and then the next one is a first one again. */
async function tell(
  { client, clock, component, nextSuffix }: EventRecorderOptions & { readonly nextSuffix: () => string },
  object: KubeObject,
  note: EventNote,
  known: Told | undefined,
): Promise<Told> {
  if (known !== undefined) {
    const count = known.count + 1;
    const body = { count, lastTimestamp: formatTime(new Date(clock.now())) };
    const counted = await ignoreNotFound(client.patch(EVENTS, known, { type: 'merge', body }));
    if (counted !== undefined) return { ...known, count };
  }
  const created = await client.create(
    EVENTS,
    newEvent(object, note, { component, now: clock.now(), suffix: nextSuffix() }),
  );
  const { namespace = '', name = '' } = created.metadata;
  return { namespace, name, count: 1 };
}

/** Two recorders that tell of one object in the same millisecond begin to count at different numbers. */
function suffixes({ clock, random }: EventRecorderOptions): () => string {
  let counter = BigInt(Math.floor(random() * Number(NANOSECONDS)));
  return () => {
    counter = (counter + 1n) % NANOSECONDS;
    return (BigInt(Math.floor(clock.now())) * NANOSECONDS + counter).toString(16);
  };
}

type Telling = { readonly component: string; readonly now: number; readonly suffix: string };

function newEvent(object: KubeObject, note: EventNote, telling: Telling): KubeObject {
  const { component, now, suffix } = telling;
  const { namespace = 'default', name = '', uid, resourceVersion } = object.metadata;
  const time = formatTime(new Date(now));
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace, name: `${name}.${suffix}` },
    involvedObject: {
      apiVersion: object.apiVersion,
      kind: object.kind,
      namespace: object.metadata.namespace ?? '',
      name,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    type: note.type,
    reason: note.reason,
    message: note.message.slice(0, LONGEST_MESSAGE),
    source: { component },
    reportingComponent: component,
    reportingInstance: component,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
}
