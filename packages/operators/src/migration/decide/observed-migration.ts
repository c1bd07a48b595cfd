import type { Command, Report } from '@kubewright/migratable';
import type { appsv1, corev1, Stored } from '@kubewright/kube';
import type { StatefulMigration } from '../api.ts';
import type { DeliveryLimit, QueueFacts } from '../brokers/broker.ts';
import type {
  CheckpointOrder,
  CheckpointRef,
  CheckpointState,
  NodeFacts,
} from '../checkpoints/node-agents.ts';
import type { ProcessCommand } from '../process-queues.ts';
import type { Settings } from '../settings.ts';

export type LivePod = Stored<corev1.Pod>;

/** What the broker says: of queues, and by the last reports of the pods that take part. */
export type ObservedBroker =
  | {
      readonly type: 'unavailable';
      readonly message: string;
      /** For how long no look has reached it. Default: long enough to be reported. */
      readonly forMs?: number;
      /** It has responded, and denies what is asked: somebody may allow it again. */
      readonly isDenied?: boolean;
    }
  /** Asking again would not help. */
  | { readonly type: 'rejected'; readonly message: string }
  | {
      readonly type: 'reached';
      /** Absent: there is no such queue. */
      readonly primary?: QueueFacts;
      readonly exchange: boolean;
      /** Of the primary queue, before the migration begins. */
      readonly limit?: DeliveryLimit;
      /** By the UID of the pod. */
      readonly reports: ReadonlyMap<string, Report>;
      /** Those of `observedQueues` that exist. */
      readonly queues?: ReadonlyMap<string, QueueFacts>;
    };

/** What an agent has of the checkpoint of the current handover. */
export type ObservedCheckpoint =
  | { readonly type: 'unavailable'; readonly message: string }
  /** Undefined: it was not begun. */
  | { readonly type: 'reached'; readonly state: CheckpointState | undefined };

/** What the agents say of their nodes. Undefined: the node has none. */
export type ObservedNodes =
  | { readonly type: 'unavailable'; readonly message: string }
  | {
      readonly type: 'reached';
      readonly source: NodeFacts | undefined;
      readonly target: NodeFacts | undefined;
    };

/** All that a decision needs. Pods, set and node were read from the server just now. */
export type ObservedMigration = {
  readonly migration: StatefulMigration;
  readonly settings: Settings;
  /** The pod that has the name of the source: the source, or what was made since; of a ReplicaSet, what it made in its place. */
  readonly named?: LivePod;
  /** Further pods of a ReplicaSet that wait for the state, and will not get it. */
  readonly surplus?: readonly LivePod[];
  /** The source, while it ends and its ReplicaSet has made another pod or will. */
  readonly leaving?: LivePod;
  /** The pod that has the name of the shadow. */
  readonly shadow?: LivePod;
  readonly set?: Stored<appsv1.StatefulSet>;
  /** Of the source, if it has one. */
  readonly replicaSet?: Stored<appsv1.ReplicaSet>;
  /** What keeps the template of a source that no controller makes again, under our name for it. */
  readonly template?: Stored<appsv1.ControllerRevision>;
  readonly node?: Stored<corev1.Node>;
  /** Those of the source's claims, before the migration begins. */
  readonly volumes?: readonly Stored<corev1.PersistentVolume>[];
  /** Migrations of the namespace whose outcome is open, without this one. Read where a pod is to be locked. */
  readonly others: readonly StatefulMigration[];
  /** The same of all namespaces, by the cache. */
  readonly open: readonly StatefulMigration[];
  readonly broker: ObservedBroker;
  /** Whether there are agents of nodes at all. */
  readonly canCheckpoint?: boolean;
  /** Of the node of the source and of the target node, in the preflight of a process. */
  readonly nodes?: ObservedNodes;
  /** In the step that waits for it. */
  readonly checkpoint?: ObservedCheckpoint;
};

export type MigrationAction =
  | {
      readonly type: 'addFinalizer' | 'removeFinalizer' | 'deleteMigration';
      readonly migration: StatefulMigration;
    }
  | { readonly type: 'lock' | 'unlock'; readonly migration: StatefulMigration; readonly pod: LivePod }
  | {
      readonly type: 'declarePlainQueue' | 'storeQueues';
      readonly migration: StatefulMigration;
      readonly queue: string;
    }
  | {
      readonly type: 'tell';
      readonly migration: StatefulMigration;
      readonly queue: string;
      readonly command: ProcessCommand;
    }
  | {
      readonly type: 'checkpoint';
      readonly migration: StatefulMigration;
      readonly order: CheckpointOrder;
    }
  | {
      readonly type: 'removeCheckpoints';
      readonly migration: StatefulMigration;
      readonly refs: readonly CheckpointRef[];
    }
  | {
      readonly type: 'createMirror';
      readonly migration: StatefulMigration;
      readonly mirror: string;
      /** The UID of the pod for which the primary queue is held from here on. */
      readonly holder?: string;
    }
  | { readonly type: 'declareQueue'; readonly migration: StatefulMigration; readonly queue: string }
  /** Who begins without the state leaves the primary queue alone, as long as this pod has its status queue. */
  | { readonly type: 'holdPrimary'; readonly migration: StatefulMigration; readonly pod: string }
  | {
      readonly type: 'deleteQueues';
      readonly migration: StatefulMigration;
      /** Bound to the exchange. */
      readonly mirror?: string;
      readonly queues: readonly string[];
    }
  | {
      readonly type: 'send';
      readonly migration: StatefulMigration;
      readonly queue: string;
      readonly command: Command;
    }
  | {
      readonly type: 'createShadow' | 'keepTemplate';
      readonly migration: StatefulMigration;
      readonly source: LivePod;
    }
  | {
      readonly type: 'createSuccessor';
      readonly migration: StatefulMigration;
      readonly template: Stored<appsv1.ControllerRevision>;
    }
  | { readonly type: 'deleteTemplate'; readonly template: Stored<appsv1.ControllerRevision> }
  /** What the next process that reads this queue reads first, and nothing else. */
  | {
      readonly type: 'leaveCommand';
      readonly migration: StatefulMigration;
      readonly queue: string;
      readonly command: ProcessCommand;
    }
  /** Changes its metadata: the cheapest for its ReplicaSet; nobody's; not a shadow any more; its finalizer. */
  | { readonly type: 'cheapen' | 'release' | 'settle' | 'keepName' | 'freeName'; readonly pod: LivePod }
  | { readonly type: 'deletePod'; readonly pod: LivePod };
