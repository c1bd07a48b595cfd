import { type Client, type Clock, ignoreNotFound, type Random, type ResourceRef } from '@kubewright/client';
import { defined, formatTime, type KubeObject } from '@kubewright/kube';
import { isDns1123Subdomain } from '@kubewright/kube/validation';
import type { Logger } from '../log/logger.ts';
import { type Correlated, EventCorrelator } from './event-correlator.ts';
import type { EventNote } from './event-note.ts';
import { RecentMap } from './recent-map.ts';

export type { EventNote } from './event-note.ts';

export type EventRecorder = {
  /** Records an Event about `object`, later. One that cannot be written is logged. */
  record(object: KubeObject, note: EventNote): void;
  /** Resolves when all Events recorded so far are written or dropped. */
  settled(): Promise<void>;
};

export type EventRecorderOptions = {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: Random;
  /** The reporting component: the controller's name. */
  readonly component: string;
  /** The node on which it runs. Default: none. */
  readonly host?: string;
};

const EVENTS: ResourceRef = { group: '', version: 'v1', resource: 'events', kind: 'Event', namespaced: true };
/** Series whose Event is remembered, so that a repetition increases its count. */
const REMEMBERED = 4096;
/** Length of the queue; while the server does not respond, further notes are dropped. */
const MOST_WAITING = 1000;
/** Kubernetes' bound on a message, in bytes; cut by characters, which are at least as few. */
const LONGEST_MESSAGE = 1024;

/** Event names end in nanoseconds; the clock gives milliseconds, and a counter the rest. */
const NANOSECONDS = 1_000_000n;

type EventKey = { readonly namespace: string; readonly name: string };
type Context = EventRecorderOptions & {
  readonly correlator: EventCorrelator;
  /** The Event of each series. */
  readonly written: RecentMap<string, EventKey>;
  readonly nextSuffix: () => string;
};

/**
 * Writes `v1` Events, as controllers built on client-go do: `kubectl describe` and `kubectl get events` show them with
 * their counts. {@link EventCorrelator} handles repetitions, similar notes and floods. An Event that cannot be
 * written is logged and dropped.
 */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { log, clock } = options;
  const context: Context = {
    ...options,
    correlator: new EventCorrelator(clock),
    written: new RecentMap(REMEMBERED),
    nextSuffix: suffixes(options),
  };
  let waiting = 0;
  // One at a time: two notes at once must not both be the first.
  let last: Promise<void> = Promise.resolve();
  return {
    record(object, note) {
      const { reason } = note;
      if (waiting >= MOST_WAITING) {
        log.warn('too many events wait to be written; one is dropped', { reason });
        return;
      }
      waiting++;
      last = last
        .then(() => writeEvent(context, object, note))
        .catch((error: unknown) => log.warn('an event could not be written', { error, reason }))
        .finally(() => waiting--);
    },
    settled: () => last,
  };
}

/** Increases the count of an Event. Events are deleted after an hour: then it is created again, with the count. */
async function writeEvent(context: Context, object: KubeObject, note: EventNote): Promise<void> {
  const { client, clock, correlator, written } = context;
  const correlated = correlator.correlate(object, note);
  if (correlated === undefined) return;
  const { key, count } = correlated;
  const known = written.get(key);
  if (known !== undefined) {
    const { message } = bounded(correlated.note);
    const body = { count, message, lastTimestamp: formatTime(new Date(clock.now())) };
    const counted = await ignoreNotFound(client.patch(EVENTS, known, { type: 'merge', body }));
    if (counted !== undefined) return;
  }
  const created = await client.create(EVENTS, newEvent(context, object, correlated));
  const { namespace = '', name } = created.metadata;
  written.set(key, { namespace, name });
}

/** Two recorders of Events about one object in the same millisecond start their counters at different numbers. */
function suffixes({ clock, random }: EventRecorderOptions): () => string {
  let counter = BigInt(Math.floor(random() * Number(NANOSECONDS)));
  return () => {
    counter = (counter + 1n) % NANOSECONDS;
    return (BigInt(Math.floor(clock.now())) * NANOSECONDS + counter).toString(16);
  };
}

function bounded(note: EventNote): EventNote {
  return { ...note, message: note.message.slice(0, LONGEST_MESSAGE) };
}

function newEvent(
  { component, host, clock, nextSuffix }: Context,
  object: KubeObject,
  { note, count }: Correlated,
): KubeObject {
  const { namespace = 'default', name = '', uid, resourceVersion } = object.metadata;
  const time = formatTime(new Date(clock.now()));
  const { fieldPath, ...fields } = bounded(note);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace, name: eventName(name, nextSuffix()) },
    involvedObject: {
      apiVersion: object.apiVersion,
      kind: object.kind,
      namespace: object.metadata.namespace ?? '',
      name,
      ...defined({ uid, resourceVersion, fieldPath }),
    },
    ...fields,
    source: host === undefined ? { component } : { component, host },
    reportingComponent: component,
    reportingInstance: host ?? component,
    firstTimestamp: time,
    lastTimestamp: time,
    count,
  };
}

/** Some kinds have names that an Event may not have: `system:basic-user`. */
function eventName(about: string, suffix: string): string {
  const name = `${about}.${suffix}`;
  return isDns1123Subdomain(name).length === 0 ? name : suffix;
}
