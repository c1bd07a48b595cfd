import type { Identify, Identity } from './identify.ts';
import type { Message } from './messages.ts';
import { LONGEST_NAME, MOST_PRODUCERS, type Watermarks } from './protocol.ts';

export type Counts = {
  readonly applied: number;
  readonly duplicates: number;
  readonly gaps: number;
  readonly unnumbered: number;
};

/** Applies each message once: knows how far it is with each producer, and passes over what it has applied. */
export class AppliedMessages {
  readonly #identify: Identify;
  readonly #apply: (message: Message) => void | Promise<void>;
  readonly #counts = { applied: 0, duplicates: 0, gaps: 0, unnumbered: 0 };
  #marks = new Map<string, number>();

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
    if (identity === undefined) return;
    const mark = this.#marks.get(identity.producer);
    if (mark !== undefined && identity.seq > mark + 1) this.#counts.gaps += 1;
    this.#marks.set(identity.producer, identity.seq);
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
    return mark !== undefined && seq <= mark;
  }
}

function markOf(marks: Watermarks, producer: string): number {
  return Object.hasOwn(marks, producer) ? (marks[producer] ?? -Infinity) : -Infinity;
}
