import { s } from '@kubewright/kube';
import { described } from '../kit/described.ts';
import { handover } from './handover.ts';
import { CONSISTENCIES } from './spec-schema.ts';

const { text, time } = described;

/** How the state gets from one pod to another. */
const BACKENDS = ['Snapshot', 'Checkpoint'] as const;

const STRATEGIES = ['ShadowPod', 'Sequential'] as const;

const count = (description: string) => s.integer({ minimum: 0, format: 'int64', description });

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

const entry = s.object(
  {
    step: text('The name of the step: the README of migration lists them by phase.'),
    epoch: count('The handover that it belongs to.'),
    startTime: time('When it started.'),
    completionTime: s.optional(time('When it was over. Absent: it is the current step.')),
  },
  { description: 'One step.' },
);

const sample = s.object(
  {
    number: count('The number of the report of the source that was seen first.'),
    applied: s.optional(count('The messages that it had applied at the start.')),
    time: s.optional(count('The start, in milliseconds since 1970.')),
  },
  { description: 'Addition: the start of the measurement for `plan`; time in Unix milliseconds.' },
);

const plan = s.object(
  {
    strategy: text('How the pod would be moved: ShadowPod or Sequential.'),
    consistency: s.oneOf(CONSISTENCIES, { description: 'What would be guaranteed of messages.' }),
    backlog: s.integer({ minimum: 0, format: 'int64', description: 'Messages in the queue.' }),
    backend: s.optional(s.oneOf(BACKENDS, { description: 'How the state would get to the target.' })),
    messagesPerSecond: s.optional(
      s.integer({
        minimum: 0,
        format: 'int64',
        description: 'Applied by the source pod. Only an application of the SDK reports it.',
      }),
    ),
    podStartSeconds: s.integer({
      minimum: 0,
      format: 'int64',
      description: 'Seconds that the source pod took to start.',
    }),
    pauseSeconds: s.integer({
      minimum: 0,
      format: 'int64',
      description: 'The longest time without consumption, in seconds.',
    }),
    totalSeconds: count('How long the migration would take, in seconds.'),
  },
  { description: 'Addition: what a migration would be like, by `spec.dryRun`.' },
);

/** The sub-phases of re-adoption. */
export const ADOPTIONS = ['transferring', 'replacing', 'replaying', 'adopted'] as const;

export const statusSchema = s.object(
  {
    phase: s.optional(
      s.oneOf(PHASES, {
        description:
          'Where the migration is. Completed, Failed, Rejected and Aborted are final: Rejected has changed nothing, Failed and Aborted have been undone unless the state was handed over.',
      }),
    ),
    message: s.optional(text('What the migration waits for, or why it ended so, for people.')),
    conditions: s.optional(s.conditions()),
    observedGeneration: s.optional(count('The metadata.generation that the status is about.')),
    startTime: s.optional(time('When the migration began.')),
    completionTime: s.optional(s.time({ description: 'Addition: when it ended.' })),
    sourceNode: s.optional(text('The node of the source pod.')),
    containerName: s.optional(text('The container that has the state.')),
    backend: s.optional(
      s.oneOf(BACKENDS, {
        description:
          'Addition. Snapshot: the application, which is of the SDK, writes its state. Checkpoint: of any other application the kubelet checkpoints the container.',
      }),
    ),
    statefulSetName: s.optional(text('The StatefulSet of the source pod. Absent: it has none.')),
    deploymentName: s.optional(text('The Deployment of the source pod. Absent: it has none.')),
    targetPod: s.optional(
      text('The pod beside the source that takes its state, on the target node. Absent with Sequential.'),
    ),
    replacementPod: s.optional(
      text('The pod that a controller made in the place of the source, and that takes its state.'),
    ),
    originalReplicas: s.optional(
      s.integer({ format: 'int32', description: 'Of the StatefulSet, which is not scaled.' }),
    ),
    swapSubPhase: s.optional(
      text(
        'How far the second handover is, from the shadow to the pod of the StatefulSet, in the words of the original: PrepareSwap, ReCheckpoint, SwapTransfer, CreateReplacement, MiniReplay, TrafficSwitch.',
      ),
    ),
    adoptionSubPhase: s.optional(
      s.oneOf(ADOPTIONS, {
        description: 'How far the StatefulSet’s own pod has taken over from the shadow.',
      }),
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
    sourcePodUID: s.optional(s.string({ description: 'Addition: the UID of the source pod.' })),
    statefulSetUID: s.optional(s.string({ description: 'Addition: the UID of the StatefulSet.' })),
    replicaSetName: s.optional(s.string({ description: 'Addition: the ReplicaSet of the source pod.' })),
    replicaSetUID: s.optional(s.string({ description: 'Addition: the UID of that ReplicaSet.' })),
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
        { times: count('How often.'), since: time('When it was first so.') },
        { description: 'Addition, of Sequential: how often pods could not restore the state.' },
      ),
    ),
    outcome: s.optional(
      s.object(
        {
          phase: s.oneOf(['Failed', 'Aborted'], { description: 'The phase in which it will end.' }),
          reason: text('Why, in one word.'),
          message: text('Why, in words.'),
        },
        { description: 'Addition: the outcome, once everything is undone.' },
      ),
    ),
    messages: s.optional(
      s.object(
        {
          applied: count('Messages that it has applied.'),
          duplicates: count('Messages that it has dropped, because it had applied them.'),
          gaps: count('Numbers that no message had: lost, or left out by their producer.'),
          behind: count('Messages that the source has applied, and it has not.'),
        },
        { description: 'Addition: messages applied by the target pod, by its own count.' },
      ),
    ),
  },
  { description: 'How far the migration is. The operator is its only writer.' },
);
