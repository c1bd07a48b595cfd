import type { Identify, Identity } from './identify.ts';
import type { Message } from './messages.ts';
import { type Gap, withGap, withoutNumber } from './missing-numbers.ts';
import { LONGEST_NAME, MOST_PRODUCERS, type Watermarks } from './protocol.ts';

export type Counts = {
  readonly applied: number;
  readonly duplicates: number;
  readonly gaps: number;
  readonly unnumbered: number;
};

/** By producer: the numbers below its mark that were not applied. A producer without any is left out. */
export type Missing = Readonly<Record<string, readonly Gap[]>>;

/**
 * Applies each message once: knows how far it is with each producer and which numbers it lacks, and passes over what it has
 * applied.
 */
export class AppliedMessages {
  readonly #identify: Identify;
  readonly #apply: (message: Message) => void | Promise<void>;
  readonly #counts = { applied: 0, duplicates: 0, gaps: 0, unnumbered: 0 };
  #marks = new Map<string, number>();
  #missing = new Map<string, readonly Gap[]>();

  constructor(identify: Identify, apply: (message: Message) => void | Promise<void>) {
    this.#identify = identify;
    this.#apply = apply;
  }

  get watermarks(): Watermarks {
    return Object.fromEntries(this.#marks);
  }

  set watermarks(marks: Watermarks) {
    this.#marks = new Map(Object.entries(marks));
  }

  get missing(): Missing {
    return Object.fromEntries(this.#missing);
  }

  set missing(missing: Missing) {
    this.#missing = new Map(Object.entries(missing));
  }

  get counts(): Counts {
    return { ...this.#counts };
  }

  /** The mark of its state moves with the state: nothing comes between, but what `apply` itself awaits. */
  async apply(message: Message): Promise<void> {
    const identity = this.#identityOf(message);
    if (identity === undefined) this.#counts.unnumbered += 1;
    else if (this.#isDone(identity)) {
      this.#counts.duplicates += 1;
      return;
    }
    await this.#apply(message);
    this.#counts.applied += 1;
    if (identity !== undefined) this.#record(identity);
  }

  #record({ producer, seq }: Identity): void {
    const mark = this.#marks.get(producer);
    const gaps = this.#missing.get(producer) ?? [];
    if (mark !== undefined && seq <= mark) {
      const left = withoutNumber(gaps, seq) ?? gaps;
      if (left.length > 0) this.#missing.set(producer, left);
      else this.#missing.delete(producer);
      return;
    }
    this.#marks.set(producer, seq);
    const first = mark === undefined ? 0 : mark + 1;
    if (seq === first) return;
    // Where a producer's numbers begin is not known: what comes below the first one was not applied either.
    if (mark !== undefined) this.#counts.gaps += 1;
    this.#missing.set(producer, withGap(gaps, [first, seq - 1]));
  }

  /** Whether it comes after these marks. A message without a number has no place. */
  isBeyond(message: Message, marks: Watermarks): boolean {
    const identity = this.#identityOf(message);
    return identity !== undefined && !(identity.seq <= markOf(marks, identity.producer));
  }

  /** Whether it is as far as these marks, with every producer. */
  hasReached(marks: Watermarks): boolean {
    return Object.entries(marks).every(
      ([producer, mark]) => (this.#marks.get(producer) ?? -Infinity) >= mark,
    );
  }

  /** Undefined too where there are more producers than marks: somebody invents them. */
  #identityOf(message: Message): Identity | undefined {
    const identity = this.#identify(message);
    if (identity === undefined || identity.producer.length > LONGEST_NAME) return undefined;
    return this.#marks.has(identity.producer) || this.#marks.size < MOST_PRODUCERS ? identity : undefined;
  }

  #isDone({ producer, seq }: Identity): boolean {
    const mark = this.#marks.get(producer);
    if (mark === undefined || seq > mark) return false;
    return withoutNumber(this.#missing.get(producer) ?? [], seq) === undefined;
  }
}

function markOf(marks: Watermarks, producer: string): number {
  return Object.hasOwn(marks, producer) ? (marks[producer] ?? -Infinity) : -Infinity;
}
