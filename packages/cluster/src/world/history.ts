import type { ObjectChange, ServerExtension } from '@kubewright/apiserver';

/** A committed write, and when. */
export type Written = ObjectChange & {
  /** Virtual milliseconds. */
  readonly at: number;
  readonly resource: string;
};

/** Every write of some resources, in order: what invariants look at. */
export class History {
  readonly #written: Written[];
  readonly #reported: object[] = [];

  /** @param before what was written before this history goes on */
  constructor(before: readonly Written[] = []) {
    this.#written = [...before];
  }

  get all(): readonly Written[] {
    return this.#written;
  }

  /** What components reported, in order. */
  get reported(): readonly object[] {
    return this.#reported;
  }

  report(fact: object): void {
    this.#reported.push(fact);
  }

  /** Every state that one object had. */
  of(resource: string, name: string): readonly Written[] {
    return this.#written.filter(
      (write) => write.resource === resource && write.object.metadata.name === name,
    );
  }

  /** Fills this history from a server, and reports each write. */
  recorder(
    resources: readonly (readonly [group: string, resource: string])[],
    now: () => number,
    onWrite: (write: Written) => void = () => {},
  ): ServerExtension {
    return (host) => {
      for (const [group, resource] of resources) {
        host.observe(group, resource, (change) => {
          const write = { ...change, at: now(), resource };
          this.#written.push(write);
          onWrite(write);
        });
      }
    };
  }
}
