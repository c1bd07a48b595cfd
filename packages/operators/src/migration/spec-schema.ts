import { s } from '@kubewright/kube';
import { dnsLabel, dnsName } from '../kit/name-schemas.ts';

const seconds = (description: string) => s.integer({ minimum: 1, format: 'int32', description });

/** What a migration may guarantee of messages. */
export const CONSISTENCIES = ['ExactlyOnce', 'AtLeastOnce', 'BestEffort'] as const;

const messageQueueConfig = s.object(
  {
    queueName: s.string({
      default: '',
      description: 'The queue of the source pod, its only consumer.',
    }),
    brokerUrl: s.string({
      default: '',
      description: 'amqp://HOST:PORT or nats://HOST:PORT. Visible to everybody who may read the object.',
    }),
    brokerSecret: s.optional(
      dnsName({
        description:
          'Addition: instead of brokerUrl, a Secret of the namespace with the key `url` and maybe `username` and `password`. The operator may get those named ms2m-broker.',
      }),
    ),
    exchangeName: s.string({
      default: '',
      description: 'The exchange that the queue is bound to, or the stream that it reads.',
    }),
    routingKey: s.string({
      default: '',
      description: 'The routing key of that binding, or the subject in that stream.',
    }),
  },
  {
    default: {},
    description: 'The queue whose messages the pod applies, and the broker that has it. Immutable.',
  },
);

/** Fields that the migration depends on are immutable. */
const IMMUTABLE = [
  'sourcePod',
  'containerName',
  'targetNode',
  'messageQueueConfig',
  'migrationStrategy',
  'dryRun',
];

export const specSchema = s.object(
  {
    sourcePod: dnsName({
      default: '',
      description:
        'The pod that is moved, in the namespace of the migration: of a StatefulSet, of a ReplicaSet or of no controller. Required and immutable.',
    }),
    containerName: dnsLabel({
      default: '',
      description:
        'The container that has the state and consumes the queue. Default: the first one. Immutable.',
    }),
    targetNode: dnsName({
      default: '',
      description: 'The node that the pod is moved to, other than its own. Required and immutable.',
    }),
    checkpointImageRepository: s.optional(
      s.string({
        description:
          'Of an application that is not of the SDK: where images of its checkpoints are pushed. One of the SDK writes its state to the broker.',
      }),
    ),
    replayCutoffSeconds: s.optional(
      s.integer({
        minimum: 0,
        format: 'int32',
        description:
          'Switch over after this time even if the target lags behind, unless replayMode is Drain.',
      }),
    ),
    replayMode: s.optional(
      s.string({
        description:
          'Cutoff, the default: switch over when the target gets no closer, or after replayCutoffSeconds. Drain: only when it has caught up.',
      }),
    ),
    messageQueueConfig,
    migrationStrategy: s.string({
      default: '',
      description:
        'ShadowPod, the default: the target starts beside the source. Sequential: the source ends first; of a ReplicaSet it has to be the only pod. A pod with PersistentVolumeClaims is always moved so.',
    }),
    transferMode: s.optional(
      s.string({
        description:
          'Of an application that is not of the SDK: how its checkpoint gets to the target node, Registry or Direct. Default: Registry where checkpointImageRepository is set.',
      }),
    ),
    identitySwapMode: s.optional(
      s.string({
        description:
          'None, ExchangeFence or Cutoff, as in the original API. The pod of a StatefulSet always gets the state back under its name, by an exact cut, so None is rejected for it, and the others mean the same.',
      }),
    ),
    abort: s.boolean({
      default: false,
      description: 'Addition: abort and undo, unless the state is already handed over.',
    }),
    dryRun: s.boolean({
      default: false,
      description: 'Addition: only check the requirements, and predict pause and duration in status.plan.',
    }),
    consistency: s.optional(
      s.oneOf(CONSISTENCIES, {
        description: 'Addition: the least that is required. ExactlyOnce, which is always given, meets all.',
      }),
    ),
    deadlines: s.optional(
      s.object(
        {
          stepSeconds: s.optional(
            seconds(
              'Seconds that one step may take before the migration is undone. Default: MS2M_STEP_SECS.',
            ),
          ),
          pauseSeconds: s.optional(
            seconds(
              'Seconds for which nothing may be consumed before the migration is undone. Default: MS2M_PAUSE_SECS.',
            ),
          ),
        },
        { description: 'Addition: override MS2M_STEP_SECS and MS2M_PAUSE_SECS.' },
      ),
    ),
    ttlSecondsAfterFinished: s.optional(
      s.integer({
        minimum: 0,
        format: 'int32',
        description: 'Addition: delete the StatefulMigration this long after its end; the pod stays.',
      }),
    ),
  },
  {
    description: 'Which pod is moved, where to, and how.',
    validations: IMMUTABLE.map((field) => ({
      rule: `self.${field} == oldSelf.${field}`,
      message: `${field} is immutable`,
    })),
  },
);
