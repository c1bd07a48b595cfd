import type { Clock } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import type { EventNote } from './event-note.ts';
import { RecentMap } from './recent-map.ts';

/** What is to be told in place of a note. */
export type Correlated = {
  /** The series that the note belongs to. */
  readonly key: string;
  /** The note, or one that stands for it and others like it. */
  readonly note: EventNote;
  /** How often it was noted, this time included; more than 1 counts an Event up that there is already. */
  readonly count: number;
};

type Similar = { readonly messages: readonly string[]; readonly last: number };
type Bucket = { readonly tokens: number; readonly at: number };

/** Entries of each memory; the ones used last are kept. */
const REMEMBERED = 4096;
/** So many different messages of one reason about one object are told apart; the rest become one series. */
const SIMILAR = 10;
const SIMILAR_WITHIN_MS = 10 * 60_000;
/** So many Events of one type about one object may be written at once, and one more every five minutes. */
const BURST = 25;
const REFILL_MS = 5 * 60_000;

/**
 * Keeps Events from flooding the server, by client-go's rules:
 *
 * 1. From the tenth message on that differs within ten minutes in nothing else, notes are joined to one series,
 *    "(combined from similar events)".
 * 2. The same note again is counted, not written anew.
 * 3. Beyond 25 of one type about one object, one every five minutes is let through; what is dropped is counted.
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #similar = new RecentMap<string, Similar>(REMEMBERED);
  readonly #counts = new RecentMap<string, number>(REMEMBERED);
  readonly #buckets = new RecentMap<string, Bucket>(REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What to tell of `object`; `undefined` when that would be too much. */
  correlate(object: KubeObject, note: EventNote): Correlated | undefined {
    const { namespace, name, uid } = object.metadata;
    // The uid says the rest too, in a key a third as long; thousands are kept.
    const about = uid === undefined ? [object.apiVersion, namespace, name] : [uid];
    const subject = [object.kind, ...about, note.type];
    // As client-go's keys do, series tell parts of an object apart; the bucket does not.
    const { key, told } = this.#joined([...subject, note.fieldPath], note);
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return this.#accepts(JSON.stringify(subject)) ? { key, note: told, count } : undefined;
  }

  #joined(subject: readonly unknown[], note: EventNote): { readonly key: string; readonly told: EventNote } {
    const series = JSON.stringify([...subject, note.reason]);
    const now = this.#clock.monotonic();
    const known = this.#similar.get(series);
    const fresh = known === undefined || now - known.last > SIMILAR_WITHIN_MS;
    const others = fresh ? [] : known.messages.filter((message) => message !== note.message);
    // Any of them goes: what counts is that one more new message makes it ten again.
    const many = others.length + 1 >= SIMILAR;
    this.#similar.set(series, { messages: many ? others : [...others, note.message], last: now });
    if (!many) return { key: JSON.stringify([...subject, note.reason, note.message]), told: note };
    const message = `(combined from similar events): ${note.message}`;
    return { key: series, told: { ...note, message } };
  }

  #accepts(subject: string): boolean {
    const now = this.#clock.monotonic();
    const { tokens: left, at } = this.#buckets.get(subject) ?? { tokens: BURST, at: now };
    const tokens = Math.min(BURST, left + (now - at) / REFILL_MS);
    this.#buckets.set(subject, { tokens: tokens < 1 ? tokens : tokens - 1, at: now });
    return tokens >= 1;
  }
}
