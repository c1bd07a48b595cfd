import { s } from '@kubewright/kube';
import { CONSISTENCIES } from './spec-schema.ts';

/** How the state gets from one pod to another. */
const BACKENDS = ['Snapshot', 'Checkpoint'] as const;

const STRATEGIES = ['ShadowPod', 'Sequential'] as const;

const count = s.integer({ minimum: 0, format: 'int64' });

export const PHASES = [
  'Pending',
  'Checkpointing',
  'Transferring',
  'Restoring',
  'Replaying',
  'Finalizing',
  'Aborting',
  'Completed',
  'Failed',
  'Rejected',
  'Aborted',
] as const;

const member = s.object({
  pod: s.string(),
  uid: s.optional(s.string()),
  instance: s.optional(
    s.string({ description: 'The consumer process; a different one has lost the state.' }),
  ),
});

export const handover = s.object(
  {
    epoch: count,
    from: member,
    to: member,
    mirror: s.string({ description: 'The queue that receives the same messages for the target pod.' }),
    snapshot: s.optional(s.object({ queue: s.string(), chunks: count, bytes: count, sha256: s.string() })),
    snapshotDigest: s.optional(s.string()),
    checkpoint: s.optional(
      s.object(
        { image: s.string(), sha256: s.string(), bytes: count },
        {
          description: 'The image that the target pod is restored from, and the archive that it was made of.',
        },
      ),
    ),
    sent: s.optional(s.string({ description: 'The step whose command was sent.' })),
    sentTime: s.optional(s.time()),
    unheld: s.optional(
      s.string({
        description:
          'After the source was lost: the UID of the last pod of its name that may have started before the queue was held for the target.',
      }),
    ),
    lag: s.optional(s.object({ least: count, since: s.time() })),
    cut: s.optional(
      s.object({
        watermarks: s.record(count, { description: 'Highest applied number of each producer.' }),
        digest: s.string(),
        targetDigest: s.optional(s.string()),
        time: s.time(),
      }),
    ),
    committed: s.boolean({ default: false }),
  },
  { description: 'Addition: the current handover of the state from one pod to another.' },
);

const entry = s.object({
  step: s.string(),
  epoch: count,
  startTime: s.time(),
  completionTime: s.optional(s.time()),
});

const sample = s.object(
  { number: count, applied: s.optional(count), time: s.optional(count) },
  { description: 'Addition: the start of the measurement for `plan`; time in Unix milliseconds.' },
);

const plan = s.object(
  {
    strategy: s.string(),
    consistency: s.oneOf(CONSISTENCIES),
    backlog: s.integer({ minimum: 0, format: 'int64', description: 'Messages in the queue.' }),
    backend: s.optional(s.oneOf(BACKENDS)),
    messagesPerSecond: s.optional(
      s.integer({
        minimum: 0,
        format: 'int64',
        description: 'Applied by the source pod. Only an application of the SDK reports it.',
      }),
    ),
    podStartSeconds: s.integer({ minimum: 0, format: 'int64', description: 'What the source pod took.' }),
    pauseSeconds: s.integer({
      minimum: 0,
      format: 'int64',
      description: 'The longest time without consumption.',
    }),
    totalSeconds: count,
  },
  { description: 'Addition: what a migration would be like, by `spec.dryRun`.' },
);

/** The sub-phases of re-adoption. */
export const ADOPTIONS = ['transferring', 'replacing', 'replaying', 'adopted'] as const;

export const statusSchema = s.object({
  phase: s.optional(s.oneOf(PHASES)),
  message: s.optional(s.string()),
  conditions: s.optional(s.conditions()),
  observedGeneration: s.optional(count),
  startTime: s.optional(s.time()),
  completionTime: s.optional(s.time({ description: 'Addition.' })),
  sourceNode: s.optional(s.string()),
  containerName: s.optional(s.string()),
  backend: s.optional(
    s.oneOf(BACKENDS, {
      description:
        'Addition. Snapshot: the application, which is of the SDK, writes its state. Checkpoint: of any other application the kubelet checkpoints the container.',
    }),
  ),
  statefulSetName: s.optional(s.string()),
  deploymentName: s.optional(s.string()),
  targetPod: s.optional(s.string()),
  replacementPod: s.optional(s.string()),
  originalReplicas: s.optional(
    s.integer({ format: 'int32', description: 'Of the StatefulSet, which is not scaled.' }),
  ),
  swapSubPhase: s.optional(s.string()),
  adoptionSubPhase: s.optional(
    s.oneOf(ADOPTIONS, { description: 'How far the StatefulSet’s own pod has taken over from the shadow.' }),
  ),
  checkpointID: s.optional(
    s.string({
      description: 'sha256 of the state that the source handed over first. In the original: a path.',
    }),
  ),
  reCheckpointID: s.optional(s.string({ description: 'The same, of the shadow.' })),
  phaseTimings: s.optional(
    s.record(s.string(), { description: 'How long each phase took, as a Go duration: 12s.' }),
  ),
  phaseTime: s.optional(s.time({ description: 'Addition: when the current phase started.' })),
  consistency: s.optional(
    s.oneOf(CONSISTENCIES, { description: 'Addition: what this migration guarantees.' }),
  ),
  strategy: s.optional(
    s.oneOf(STRATEGIES, { description: 'Addition: how this pod is moved, see spec.migrationStrategy.' }),
  ),
  progress: s.optional(
    s.integer({ minimum: 0, maximum: 100, description: 'Addition: percent of the expected time.' }),
  ),
  estimatedCompletionTime: s.optional(
    s.time({ description: 'Addition: when it may be completed, by the start of the pods so far.' }),
  ),
  podStartSeconds: s.optional(
    s.integer({ minimum: 0, format: 'int64', description: 'Addition: what the source pod took to start.' }),
  ),
  sample: s.optional(sample),
  plan: s.optional(plan),
  sourcePodUID: s.optional(s.string({ description: 'Addition.' })),
  statefulSetUID: s.optional(s.string({ description: 'Addition.' })),
  replicaSetName: s.optional(s.string({ description: 'Addition: the ReplicaSet of the source pod.' })),
  replicaSetUID: s.optional(s.string({ description: 'Addition.' })),
  templateUID: s.optional(
    s.string({
      description:
        'Addition, of Sequential: of the ControllerRevision with the template of a source that no controller makes again.',
    }),
  ),
  step: s.optional(s.string({ description: 'Addition: the current step.' })),
  stepTime: s.optional(s.time({ description: 'Addition: when the current step started.' })),
  steps: s.optional(s.list(entry, { description: 'Addition: the steps so far, the newest last.' })),
  handover: s.optional(handover),
  handedOver: s.boolean({
    default: false,
    description:
      'Addition: a pod other than the source has the state; the migration can no longer be undone.',
  }),
  sourceLost: s.optional(
    s.boolean({
      description:
        'Addition: the source was lost after its state was taken, and the target takes over without it.',
    }),
  ),
  targetNodeLost: s.optional(
    s.boolean({
      description:
        'Addition, of Sequential: the pod did not start on the target node in time, and may start on any.',
    }),
  ),
  restoreFailures: s.optional(
    s.object(
      { times: count, since: s.time() },
      { description: 'Addition, of Sequential: how often pods could not restore the state.' },
    ),
  ),
  outcome: s.optional(
    s.object(
      { phase: s.oneOf(['Failed', 'Aborted']), reason: s.string(), message: s.string() },
      { description: 'Addition: the outcome, once everything is undone.' },
    ),
  ),
  messages: s.optional(
    s.object(
      { applied: count, duplicates: count, gaps: count, behind: count },
      { description: 'Addition: messages applied by the target pod, by its own count.' },
    ),
  ),
});
