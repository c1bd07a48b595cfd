import type { Fence } from './protocol.ts';

/** Migrations that are remembered: a barrier of one that was aborted may be in the queue still. */
const MOST = 8;

/** Which commands a process has seen, the last one first. */
export class CommandLog {
  #fences: readonly Fence[] = [];

  get fences(): readonly Fence[] {
    return this.#fences;
  }

  isNew({ migration, epoch, step }: Fence): boolean {
    const last = this.#fences.find((fence) => fence.migration === migration);
    if (last === undefined) return true;
    return epoch === last.epoch ? step > last.step : epoch > last.epoch;
  }

  add({ migration, epoch, step }: Fence): void {
    const others = this.#fences.filter((fence) => fence.migration !== migration);
    this.#fences = [{ migration, epoch, step }, ...others].slice(0, MOST);
  }

  /** What the process had seen whose state this one goes on with. */
  inherit(fences: readonly Fence[]): void {
    const unknown = fences.filter(({ migration }) =>
      this.#fences.every((own) => own.migration !== migration),
    );
    this.#fences = [...this.#fences, ...unknown].slice(0, MOST);
  }
}
