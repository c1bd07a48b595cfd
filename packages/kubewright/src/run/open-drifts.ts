import type { JsonObject } from '@kubewright/kube';

type OpenDrift = { readonly report: JsonObject; readonly receivedAt: string };

/** The drift that is open, the oldest report first. */
export type OpenDrifts = {
  readonly size: number;
  all(): readonly OpenDrift[];
  get(id: string): OpenDrift | undefined;
  /** `bytes`: how much its report is. */
  set(id: string, drift: OpenDrift, bytes: number): void;
  delete(id: string): void;
};

/** At most so many drifts, and so many bytes of reports: those that were reported first make room for others. */
export function createOpenDrifts(most: { readonly drifts: number; readonly bytes: number }): OpenDrifts {
  const drifts = new Map<string, { readonly drift: OpenDrift; readonly bytes: number }>();
  let total = 0;
  const remove = (id: string): void => {
    total -= drifts.get(id)?.bytes ?? 0;
    drifts.delete(id);
  };
  return {
    get size() {
      return drifts.size;
    },
    all: () => [...drifts.values()].map(({ drift }) => drift),
    get: (id) => drifts.get(id)?.drift,
    set(id, drift, bytes) {
      remove(id);
      drifts.set(id, { drift, bytes });
      total += bytes;
      for (const oldest of drifts.keys()) {
        if (drifts.size <= most.drifts && total <= most.bytes) return;
        remove(oldest);
      }
    },
    delete: remove,
  };
}
