import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';
import { described } from '../../kit/described.ts';
import { anyName, apiVersionName, dnsLabel, kindName } from '../../kit/name-schemas.ts';
import { VERSION, VOLUME_GROUP } from './annotations.ts';
import { COLUMNS } from './columns.ts';

const { text, time } = described;

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
    keeperUID: text('The UID of the ObjectKeeper of the request.'),
    artifactUID: s.optional(
      text('The UID of what was made: a snapshot, a claim; of mode Detach the volume.'),
    ),
    volumeName: s.optional(s.string({ description: 'Of mode Detach: the volume, when its claim is gone.' })),
    message: s.optional(text('What it waits for, or the last error of the storage system.')),
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
    mode: s.oneOf(['Snapshot', 'Detach'], {
      description:
        'Snapshot: take a snapshot of the volume of a claim. Detach: keep the volume itself, and delete the claim.',
    }),
    target: s.optional(
      s.object(
        {
          uid: s.string({ minLength: 1, description: 'Its UID: another claim of its name is not captured.' }),
          apiVersion: apiVersionName({ description: 'Its apiVersion: v1.' }),
          kind: kindName({ description: 'Its kind: PersistentVolumeClaim.' }),
          name: anyName({ description: 'Its name.' }),
          namespace: s.optional(
            dnsLabel({ description: 'Leave empty: it is always the namespace of the request.' }),
          ),
        },
        { description: 'The claim whose volume is captured. Required.' },
      ),
    ),
    ...patience,
  },
  {
    description: 'What is captured, once.',
    validations: [
      {
        rule: "self.mode != 'Snapshot' || has(self.target)",
        message: 'target is required when mode is Snapshot',
      },
    ],
  },
);

const artifactRef = s.object(
  {
    apiVersion: text('Its apiVersion.'),
    kind: text('Its kind: VolumeSnapshotContent, or PersistentVolume of mode Detach.'),
    name: text('Its name.'),
    uid: s.optional(text('Its UID.')),
  },
  { description: 'The object that has what was captured.' },
);

/** Of both volume requests. */
export const ending = {
  completionTimestamp: s.optional(
    time('When the request ended, done or failed. From then on it never changes.'),
  ),
  conditions: s.optional(
    s.conditions({
      description:
        'Ready: True (Completed), or False with the reason of the failure, for good; absent while it is carried out. AuthorChecked: whether the rights of its author were checked.',
    }),
  ),
};

const captureStatus = s.object(
  {
    ...ending,
    data: s.optional(
      s.object({ artifactRef }, { description: 'What was captured. Absent until the request is done.' }),
    ),
    progress: s.optional(progress),
  },
  { description: 'How far the request is. The operator is its only writer.' },
);

const capture = s.object(
  { spec: captureSpec, status: s.optional(captureStatus) },
  {
    description: 'Takes a snapshot of the volume of a claim in its namespace, or the volume itself, once.',
    validations: [IMMUTABLE],
  },
);

/** Takes a snapshot of the volume of a claim in its namespace, or the volume itself, once. */
export const VOLUME_CAPTURE_REQUESTS = customResource({
  group: VOLUME_GROUP,
  version: VERSION,
  kind: 'VolumeCaptureRequest',
  plural: 'volumecapturerequests',
  shortNames: ['vcr'],
  categories: ['kubewright'],
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
