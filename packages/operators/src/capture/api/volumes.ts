import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';
import { VERSION, VOLUME_GROUP } from './groups.ts';

const name = s.string({ minLength: 1, maxLength: 253 });
const AGE = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' } as const;
const READY = [
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
] as const;
const MESSAGE = {
  name: 'Message',
  type: 'string',
  jsonPath: '.status.conditions[?(@.type=="Ready")].message',
  priority: 1,
} as const;

/** Additions of both kinds. */
const patience = {
  externalErrorPolicy: s.oneOf(['Terminal', 'UntilDeadline'], {
    default: 'Terminal',
    description:
      'Addition: whether an error of the storage system ends the request at once, or at its deadline.',
  }),
  deadlineSeconds: s.optional(
    s.integer({
      minimum: 1,
      description: 'Addition: from creation. Default: 600 with UntilDeadline, none with Terminal.',
    }),
  ),
};

const progress = s.object(
  {
    keeperUID: s.string(),
    artifactUID: s.optional(s.string()),
    message: s.optional(s.string()),
  },
  { description: 'Addition: what was made already. It is not made a second time.' },
);

const captureSpec = s.object(
  {
    mode: s.oneOf(['Snapshot', 'Detach']),
    target: s.optional(
      s.object({
        uid: s.string({ minLength: 1 }),
        apiVersion: name,
        kind: name,
        name,
        namespace: s.optional(
          s.string({ description: 'To be left empty: it is the namespace of the request.' }),
        ),
      }),
    ),
    ...patience,
  },
  {
    validations: [
      {
        rule: "self.mode != 'Snapshot' || has(self.target)",
        message: 'target is required when mode is Snapshot',
      },
    ],
  },
);

const captureStatus = s.object({
  completionTimestamp: s.optional(s.time()),
  conditions: s.optional(s.conditions()),
  data: s.optional(
    s.object({
      artifactRef: s.object({
        apiVersion: s.string(),
        kind: s.string(),
        name: s.string(),
        uid: s.optional(s.string()),
      }),
    }),
  ),
  progress: s.optional(progress),
});

const capture = s.object({ spec: captureSpec, status: s.optional(captureStatus) });

/** Asks, once, for a snapshot of the volume of a claim in its namespace. */
export const VOLUME_CAPTURE_REQUESTS = customResource({
  group: VOLUME_GROUP,
  version: VERSION,
  kind: 'VolumeCaptureRequest',
  plural: 'volumecapturerequests',
  shortNames: ['vcr'],
  scope: 'Namespaced',
  schema: capture,
  columns: [
    { name: 'Mode', type: 'string', jsonPath: '.spec.mode' },
    { name: 'Target', type: 'string', jsonPath: '.spec.target.name' },
    ...READY,
    { name: 'Artifact', type: 'string', jsonPath: '.status.data.artifactRef.name' },
    MESSAGE,
    AGE,
  ],
});

const claimTemplate = s.object({
  metadata: s.object(
    {
      name: s.string({ maxLength: 253 }),
      labels: s.optional(s.record(s.string())),
      annotations: s.optional(s.record(s.string())),
    },
    { validations: [{ rule: 'self.name.size() > 0', message: 'metadata.name must not be empty' }] },
  ),
  spec: s.optional(
    s.object({
      accessModes: s.optional(
        s.list(s.oneOf(['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'])),
      ),
      resources: s.optional(s.object({ requests: s.optional(s.record(s.quantity())) })),
      storageClassName: s.optional(s.string()),
      volumeMode: s.optional(s.oneOf(['Filesystem', 'Block'])),
    }),
  ),
});

const restoreSpec = s.object({
  sourceRef: s.object({
    apiVersion: s.optional(s.string()),
    kind: s.optional(s.string()),
    namespace: s.optional(s.string()),
    name: s.string({ minLength: 1 }),
    uid: s.optional(s.string()),
  }),
  pvcTemplate: claimTemplate,
  fsType: s.optional(s.string()),
  pvcRetention: s.oneOf(['Keep', 'WithRequest'], {
    default: 'Keep',
    description: 'Addition: whether the claim outlives the request.',
  }),
  ...patience,
});

const restoreStatus = s.object({
  completionTimestamp: s.optional(s.time()),
  conditions: s.optional(s.conditions()),
  pvcRef: s.optional(
    s.object({
      apiVersion: s.optional(s.string()),
      kind: s.string(),
      namespace: s.string(),
      name: s.string(),
      uid: s.optional(s.string()),
    }),
  ),
  progress: s.optional(progress),
});

const restore = s.object({ spec: restoreSpec, status: s.optional(restoreStatus) });

/** Asks, once, for a claim with the content of a snapshot. */
export const VOLUME_RESTORE_REQUESTS = customResource({
  group: VOLUME_GROUP,
  version: VERSION,
  kind: 'VolumeRestoreRequest',
  plural: 'volumerestorerequests',
  shortNames: ['vrr'],
  scope: 'Namespaced',
  schema: restore,
  columns: [
    { name: 'Source', type: 'string', jsonPath: '.spec.sourceRef.name' },
    { name: 'Claim', type: 'string', jsonPath: '.spec.pvcTemplate.metadata.name' },
    ...READY,
    MESSAGE,
    AGE,
  ],
});

export type VolumeCaptureRequest = Stored<CustomObject<Infer<typeof capture>>>;
export type VolumeCaptureStatus = Infer<typeof captureStatus>;
export type VolumeRestoreRequest = Stored<CustomObject<Infer<typeof restore>>>;
export type VolumeRestoreStatus = Infer<typeof restoreStatus>;
