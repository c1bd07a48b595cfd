import type { Request } from '@kubewright/runtime';

/** As often as the broker is looked at where nothing is urgent. A process that has carried out a command reports by itself. */
const EVERY_MS = 190;

/** When reports were requested last, of the pods of each migration. */
export class ReportRequests {
  readonly #last = new Map<string, Map<string, number>>();

  /** Whether a report of a pod is to be requested at `now`, of a monotonic clock; if so, it counts as requested. */
  isDue(migration: Request, uid: string, now: number): boolean {
    const pods = this.#last.get(keyOf(migration)) ?? new Map<string, number>();
    this.#last.set(keyOf(migration), pods);
    if (now - (pods.get(uid) ?? -Infinity) < EVERY_MS) return false;
    pods.set(uid, now);
    return true;
  }

  /** The migration is over. */
  forget(migration: Request): void {
    this.#last.delete(keyOf(migration));
  }
}

function keyOf({ namespace = '', name }: Request): string {
  return `${namespace}/${name}`;
}
