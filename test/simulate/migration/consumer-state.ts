/** What a consumer has in memory: of each producer, the numbers that it has applied. */
export class ConsumerState {
  #applied: Record<string, number[]> = {};

  apply({ producer, seq }: { readonly producer: string; readonly seq: number }): void {
    (this.#applied[producer] ??= []).push(seq);
  }

  toJson(): unknown {
    return structuredClone(this.#applied);
  }

  restore(from: unknown): void {
    this.#applied = structuredClone(from as Record<string, number[]>);
  }

  has(producer: string, seq: number): boolean {
    return this.#applied[producer]?.includes(seq) === true;
  }

  /** A message that was applied twice. */
  repeated(): string | undefined {
    for (const [producer, applied] of Object.entries(this.#applied)) {
      const twice = applied.find((seq, index) => applied.indexOf(seq) !== index);
      if (twice !== undefined) return `of ${producer}, message ${twice} was applied twice`;
    }
    return undefined;
  }

  /** How it differs from one who has applied 1 to `last` of each producer, each once and in order; undefined: not at all. */
  lacks(published: Readonly<Record<string, number>>): string | undefined {
    for (const [producer, last] of Object.entries(published)) {
      const applied = this.#applied[producer] ?? [];
      const at = applied.findIndex((seq, index) => seq !== index + 1);
      if (at >= 0) return `of ${producer}, message ${applied[at]} was applied as the ${at + 1}th`;
      if (applied.length !== last)
        return `of ${producer}, ${applied.length} of ${last} messages were applied`;
    }
    const unknown = Object.keys(this.#applied).find((producer) => !Object.hasOwn(published, producer));
    return unknown && `messages of ${unknown} were applied`;
  }
}
