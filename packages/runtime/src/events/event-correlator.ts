import type { Clock } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import type { EventNote } from './event-note.ts';
import { RecentMap } from './recent-map.ts';

/** What to write for a note. */
export type Correlated = {
  /** The series that the note belongs to. */
  readonly key: string;
  /** The note, or one that stands for it and others like it. */
  readonly note: EventNote;
  /** How often it occurred, this time included; above 1 an existing Event's count is increased. */
  readonly count: number;
};

type Similar = { readonly messages: readonly string[]; readonly last: number };
type Bucket = { readonly tokens: number; readonly at: number };

/** Size of each LRU cache. */
const REMEMBERED = 4096;
/** Different messages of one reason about one object that get an Event each; more become one series. */
const SIMILAR = 10;
const SIMILAR_WITHIN_MS = 10 * 60_000;
/** Burst of Events of one type about one object; then one every five minutes. */
const BURST = 25;
const REFILL_MS = 5 * 60_000;

/**
 * Keeps Events from flooding the server, by client-go's rules:
 *
 * 1. From the tenth note within ten minutes that differs only in its message, notes are combined into one series,
 *    "(combined from similar events)".
 * 2. A repeated note increases the count of its Event.
 * 3. Beyond 25 of one type about one object, one every five minutes passes; the dropped ones are counted.
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #similar = new RecentMap<string, Similar>(REMEMBERED);
  readonly #counts = new RecentMap<string, number>(REMEMBERED);
  readonly #buckets = new RecentMap<string, Bucket>(REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What to write for a note about `object`; `undefined` when it is dropped. */
  correlate(object: KubeObject, note: EventNote): Correlated | undefined {
    const { namespace, name, uid } = object.metadata;
    // The uid stands for the rest, in a key a third as long; thousands are kept.
    const about = uid === undefined ? [object.apiVersion, namespace, name] : [uid];
    const subject = [object.kind, ...about, note.type];
    // As in client-go, the key of a series has the part of the object (fieldPath), the key of the bucket has not.
    const { key, combined } = this.#joined([...subject, note.fieldPath], note);
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return this.#accepts(JSON.stringify(subject)) ? { key, note: combined, count } : undefined;
  }

  #joined(
    subject: readonly unknown[],
    note: EventNote,
  ): { readonly key: string; readonly combined: EventNote } {
    const series = JSON.stringify([...subject, note.reason]);
    const now = this.#clock.monotonic();
    const known = this.#similar.get(series);
    const fresh = known === undefined || now - known.last > SIMILAR_WITHIN_MS;
    const others = fresh ? [] : known.messages.filter((message) => message !== note.message);
    // Removes any of them: what counts is that one more new message makes it ten again.
    const many = others.length + 1 >= SIMILAR;
    this.#similar.set(series, { messages: many ? others : [...others, note.message], last: now });
    if (!many) return { key: JSON.stringify([...subject, note.reason, note.message]), combined: note };
    const message = `(combined from similar events): ${note.message}`;
    return { key: series, combined: { ...note, message } };
  }

  #accepts(subject: string): boolean {
    const now = this.#clock.monotonic();
    const { tokens: left, at } = this.#buckets.get(subject) ?? { tokens: BURST, at: now };
    const tokens = Math.min(BURST, left + (now - at) / REFILL_MS);
    this.#buckets.set(subject, { tokens: tokens < 1 ? tokens : tokens - 1, at: now });
    return tokens >= 1;
  }
}
