import type { discoveryv1, Stored } from '@kubewright/kube';
import type { CacheEvent } from '@kubewright/runtime';

type Slice = Stored<discoveryv1.EndpointSlice>;

/**
 * The last version of each slice that this process wrote. Its event says nothing new, and where a webhook changes what is
 * written, another reconciliation would write again.
 */
export class OwnWrites {
  /** Resource versions by UID. */
  readonly #versions = new Map<string, string>();
  /** By service, while its slices are written: what came before the server's response, which tells whose it is. */
  readonly #early = new Map<string, Slice[]>();
  readonly #serviceOf: (slice: Slice) => string;

  /** @param serviceOf the key of the service that a slice is of */
  constructor(serviceOf: (slice: Slice) => string) {
    this.#serviceOf = serviceOf;
  }

  /** Takes what the server returned. */
  add({ metadata: { uid, resourceVersion } }: Slice): void {
    this.#versions.set(uid, resourceVersion);
  }

  /** Whether an event is known to be of what somebody else wrote, or of a deletion. */
  isForeign({ type, object }: CacheEvent<Slice>): boolean {
    if (type === 'Delete') this.#versions.delete(object.metadata.uid);
    else if (this.#isOwn(object)) return false;
    const early = type === 'Delete' ? undefined : this.#early.get(this.#serviceOf(object));
    early?.push(object);
    return early === undefined;
  }

  /** Writes slices of a service. Resolves with whether somebody else has written one meanwhile. */
  async during(service: string, write: () => Promise<void>): Promise<boolean> {
    const early: Slice[] = [];
    this.#early.set(service, early);
    try {
      await write();
    } finally {
      this.#early.delete(service);
    }
    return early.some((slice) => !this.#isOwn(slice));
  }

  #isOwn({ metadata: { uid, resourceVersion } }: Slice): boolean {
    return this.#versions.get(uid) === resourceVersion;
  }
}
