import { type CustomObject, customResource, type Infer, type Stored } from '@kubewright/kube';
import { type brake, kausality, type policySpec, type policyStatus } from './kausality.ts';

// Annotations, custom resource and formats are those of the original; additions are marked.

export const GROUP = 'kausality.io';
/** The prefix of every annotation below. */
export const PREFIX = `${GROUP}/`;

/** The component that emits Events, and the field manager. */
export const COMPONENT = 'drift';

/** The service accounts of the operator's two parts. */
export const ACCOUNTS = { webhook: 'drift-webhook', policies: 'drift' } as const;

export const ANNOTATIONS = {
  /** JSON array of {@link Hop}s: why the object is in its state. */
  trace: 'kausality.io/trace',
  /** Hashes of users who wrote the object: at most five, comma-separated. */
  updaters: 'kausality.io/updaters',
  /** Hashes of users who wrote its status: its controllers. */
  controllers: 'kausality.io/controllers',
  /** The generation at the last write of the status. */
  observedGeneration: 'kausality.io/observedGeneration',
  /** `initialized`, once it has been. */
  phase: 'kausality.io/phase',
  /** Addition: the generation whose change was done, as the status said. */
  settled: 'kausality.io/settled',
  /** Addition: when somebody last changed an annotation that the controller may follow. */
  touched: 'kausality.io/touched',
  /** Addition: the revision that a tool has last applied to the object. */
  revision: 'kausality.io/revision',
  /** Addition: the approvals of mode `once` that writes of this object have used: the last five. */
  usedApprovals: 'kausality.io/usedApprovals',
  /** On a parent: JSON array of {@link Approval}s. */
  approvals: 'kausality.io/approvals',
  /** On a parent: JSON array of {@link Rejection}s. */
  rejections: 'kausality.io/rejections',
  /** On a parent: {@link Freeze}, or `true`. */
  freeze: 'kausality.io/freeze',
  /** On a parent: `{ expiry }`, or a time: no Events until then. */
  snooze: 'kausality.io/snooze',
  /** `log` or `enforce`. */
  mode: 'kausality.io/mode',
} as const;

/** `trace-ticket: "J-1"` becomes the label `ticket` of the object's hop. */
export const LABEL_PREFIX = 'kausality.io/trace-';

/** Only the webhook writes these; all other annotations with the prefix are for users. */
export const SYSTEM_KEYS: ReadonlySet<string> = new Set([
  ANNOTATIONS.trace,
  ANNOTATIONS.updaters,
  ANNOTATIONS.controllers,
  ANNOTATIONS.observedGeneration,
  ANNOTATIONS.phase,
  ANNOTATIONS.usedApprovals,
  ANNOTATIONS.settled,
  ANNOTATIONS.touched,
  ANNOTATIONS.revision,
]);

/** Of these, what the original does not know: in its place, they are not recorded. */
export const ADDED_KEYS: ReadonlySet<string> = new Set([
  ANNOTATIONS.settled,
  ANNOTATIONS.touched,
  ANNOTATIONS.revision,
]);

export type Mode = 'log' | 'enforce';

/** One step of a trace: who changed this object to this generation. */
export type Hop = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** The generation once the write is stored; 0 for kinds without one. */
  readonly generation: number;
  readonly user: string;
  /** RFC 3339, in seconds. */
  readonly timestamp: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Addition, for approved drift: the approval, and the parent that carries it. */
  readonly approval?: Pick<Approval, 'mode' | 'by' | 'at'> & { readonly generation?: number };
  /** Addition, for the object of a tool that applies others: what it applies; `again`: it has before. */
  readonly tool?: { readonly title: string; readonly revision?: string; readonly again?: true };
  readonly causedBy?: Pick<Hop, 'apiVersion' | 'kind' | 'name' | 'generation'>;
};

/** The child; in approvals and rejections each of the three may be `*`. */
type ChildPattern = { readonly apiVersion: string; readonly kind: string; readonly name: string };

export type Approval = ChildPattern & {
  /** Generation of the parent; for `once` and `generation`. */
  readonly generation?: number;
  /** `once`, `generation` or `always`; default `once`. Any other value is never valid. */
  readonly mode?: string;
  /** Additions: who approved, when and why. The webhook writes `by` and `at` when it sees the parent. */
  readonly by?: string;
  readonly at?: string;
  readonly reason?: string;
  /** Addition: RFC 3339; from then on it is not valid. */
  readonly expiry?: string;
  /**
   * Addition, by the webhook: the hash of the parent's spec. A Deployment's generation counts changes of annotations too:
   * with it, the approval is valid as long as the spec is the same.
   */
  readonly specHash?: string;
  /** Addition, by the webhook: the one change that may still use it. `uid` is that of a deleted child. */
  readonly reservedFor?: ChildPattern & { readonly namespace?: string; readonly uid?: string };
};

export type Rejection = ChildPattern & {
  /** Absent or 0: for all generations. */
  readonly generation?: number;
  readonly reason?: string;
};

export type Freeze = {
  readonly user?: string;
  readonly message?: string;
  readonly at?: string | null;
  /** Addition, by the brake: everything that was frozen together. */
  readonly tree?: readonly ObjectPlace[];
};

/** A reference to an object of any kind; the namespace of a cluster-scoped one is empty. */
export type ObjectPlace = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
};

/** A policy: which changes are checked, and whether drift is denied. */
export const KAUSALITIES = customResource({
  group: GROUP,
  version: 'v1alpha1',
  kind: 'Kausality',
  plural: 'kausalities',
  shortNames: ['kau'],
  categories: ['kubewright'],
  scope: 'Cluster',
  schema: kausality,
  columns: [
    { name: 'Mode', type: 'string', jsonPath: '.spec.mode' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    {
      name: 'Reason',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
    },
    { name: 'Covered', type: 'string', jsonPath: '.status.conditions[?(@.type=="Covered")].status' },
    { name: 'Alarms', type: 'string', jsonPath: '.status.alarms' },
    { name: 'Since', type: 'date', jsonPath: '.status.since' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type Kausality = Stored<CustomObject<Infer<typeof kausality>, 'Cluster'>>;
export type KausalityStatus = Infer<typeof policyStatus>;
export type KausalitySpec = Infer<typeof policySpec>;
export type BrakeSpec = Infer<typeof brake>;
