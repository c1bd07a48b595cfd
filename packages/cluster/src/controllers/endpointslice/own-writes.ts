import type { discoveryv1, Stored } from '@kubewright/kube';
import type { CacheEvent } from '@kubewright/runtime';

type Slice = Stored<discoveryv1.EndpointSlice>;

/**
 * The events of what this controller writes. They say nothing new, and where a webhook changes what is written, another
 * reconciliation would write again. The cache reports a write before the call returns, so that what comes while the slices
 * of a service are written is judged by what the calls return.
 */
export class OwnWrites {
  /** By service, while its slices are written: what the cache has reported. */
  readonly #reported = new Map<string, Slice[]>();
  readonly #serviceOf: (slice: Slice) => string;

  /** @param serviceOf the key of the service that a slice is of */
  constructor(serviceOf: (slice: Slice) => string) {
    this.#serviceOf = serviceOf;
  }

  /** Whether an event is to be handled now: it is none of a service whose slices are being written, or a deletion. */
  isForeign({ type, object }: CacheEvent<Slice>): boolean {
    const reported = type === 'Delete' ? undefined : this.#reported.get(this.#serviceOf(object));
    reported?.push(object);
    return reported === undefined;
  }

  /** Writes slices of a service, and adds to `written` what the server returns. `isStale`: somebody else wrote one meanwhile. */
  async during<T>(
    service: string,
    write: (written: Slice[]) => Promise<T>,
  ): Promise<{ readonly result: T; readonly isStale: boolean }> {
    const reported: Slice[] = [];
    const written: Slice[] = [];
    this.#reported.set(service, reported);
    try {
      const result = await write(written);
      const own = new Set(written.map((slice) => versionOf(slice)));
      return { result, isStale: reported.some((slice) => !own.has(versionOf(slice))) };
    } finally {
      this.#reported.delete(service);
    }
  }
}

function versionOf({ metadata: { uid, resourceVersion } }: Slice): string {
  return `${uid} ${resourceVersion}`;
}
