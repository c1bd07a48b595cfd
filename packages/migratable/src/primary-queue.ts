import type { Report } from './protocol.ts';

/**
 * The queue whose messages make the state. It is the one of which the state is: a process that takes over from another pod
 * gets its name, because its own configuration may have made one of the name of its own pod.
 */
export class PrimaryQueue {
  #name: string;
  #isAssigned = false;

  /** As the process is configured. */
  constructor(name: string) {
    this.#name = name;
  }

  get name(): string {
    return this.#name;
  }

  /** Undefined: it is as it was. */
  assign(name: string | undefined): void {
    if (name === undefined || name === this.#name) return;
    this.#name = name;
    this.#isAssigned = true;
  }

  /** An earlier process of this pod got another one. */
  adopt(earlier: Report | undefined): void {
    if (earlier?.assigned === true) this.assign(earlier.queue);
  }

  /** For the report. */
  get facts(): Pick<Report, 'queue' | 'assigned'> {
    return { queue: this.#name, ...(this.#isAssigned && { assigned: true }) };
  }
}
