import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';
import { anyName, apiVersionName, dnsLabel, kindName } from '../../kit/name-schemas.ts';
import { VERSION, VOLUME_GROUP } from './annotations.ts';
import { COLUMNS } from './columns.ts';

/** Fields that both volume requests add to the original API. */
export const patience = {
  externalErrorPolicy: s.oneOf(['Terminal', 'UntilDeadline'], {
    default: 'Terminal',
    description:
      'Addition: whether an error of the storage system ends the request at once, or at its deadline.',
  }),
  deadlineSeconds: s.optional(
    s.integer({
      minimum: 1,
      description: 'Addition: seconds since creation. Default: 600 with UntilDeadline, none with Terminal.',
    }),
  ),
};

export const progress = s.object(
  {
    keeperUID: s.string(),
    artifactUID: s.optional(s.string()),
    volumeName: s.optional(s.string({ description: 'Of mode Detach: the volume, when its claim is gone.' })),
    message: s.optional(s.string()),
  },
  { description: 'Addition: what was already created. It is not created again.' },
);

/** What an author may do is checked once, when the request is created. What has ended is never read again. */
export const IMMUTABLE = {
  rule: 'self.spec == oldSelf.spec || (has(oldSelf.status) && has(oldSelf.status.completionTimestamp))',
  message: 'spec is immutable: make a new request',
};

const captureSpec = s.object(
  {
    mode: s.oneOf(['Snapshot', 'Detach']),
    target: s.optional(
      s.object({
        uid: s.string({ minLength: 1 }),
        apiVersion: apiVersionName(),
        kind: kindName(),
        name: anyName(),
        namespace: s.optional(
          dnsLabel({ description: 'Leave empty: it is always the namespace of the request.' }),
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

const capture = s.object(
  { spec: captureSpec, status: s.optional(captureStatus) },
  { validations: [IMMUTABLE] },
);

/** Takes a snapshot of the volume of a claim in its namespace, or the volume itself, once. */
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
    COLUMNS.ready,
    COLUMNS.reason,
    { name: 'Artifact', type: 'string', jsonPath: '.status.data.artifactRef.name' },
    COLUMNS.message,
    COLUMNS.age,
  ],
});

export type VolumeCaptureRequest = Stored<CustomObject<Infer<typeof capture>>>;
export type VolumeCaptureStatus = Infer<typeof captureStatus>;
