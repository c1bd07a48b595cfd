import type { CaptureChanges } from '@kubewright/operators';

/** Operators that are broken on purpose. */
export const captureVariants: Readonly<Record<string, CaptureChanges>> = {
  /** Believes that a request whose checkpoint exists is done, as after a crash. */
  hasty: {
    manifests: (steps) => ({
      ...steps,
      async observe(request, io) {
        const observed = await steps.observe(request, io);
        const { checkpoint } = observed ?? {};
        if (observed === undefined || checkpoint === undefined) return observed;
        const ready = { type: 'Ready', status: 'True', reason: 'Completed', message: '' } as const;
        const lastTransitionTime = checkpoint.metadata.creationTimestamp ?? '';
        const status = { conditions: [{ ...ready, lastTransitionTime }] };
        return { ...observed, checkpoint: { ...checkpoint, status } };
      },
    }),
  },
  /** Believes that a volume is kept when its claim goes, as the original does. */
  careless: {
    detaches: (steps) => ({
      ...steps,
      async observe(request, io) {
        const observed = await steps.observe(request, io);
        if (observed?.volume?.type !== 'found') return observed;
        const { object } = observed.volume;
        const spec = { ...object.spec, persistentVolumeReclaimPolicy: 'Retain' as const };
        return { ...observed, volume: { ...observed.volume, object: { ...object, spec } } };
      },
    }),
  },
  /** Takes a snapshot that exists for one that is ready. */
  impatient: {
    snapshots: (steps) => ({
      ...steps,
      async observe(request, io) {
        const observed = await steps.observe(request, io);
        const { content } = observed ?? {};
        if (observed === undefined || content === undefined) return observed;
        return { ...observed, content: { ...content, status: { ...content.status, readyToUse: true } } };
      },
    }),
  },
};
