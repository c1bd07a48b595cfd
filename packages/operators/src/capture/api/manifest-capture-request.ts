import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';
import { described } from '../../kit/described.ts';
import { anyName, apiVersionName, kindName } from '../../kit/name-schemas.ts';
import { MANIFEST_GROUP, VERSION } from './annotations.ts';
import { COLUMNS } from './columns.ts';

export const SECRET_POLICIES = ['Include', 'Redact', 'Exclude', 'Encrypt'] as const;
export type SecretPolicy = (typeof SECRET_POLICIES)[number];

const target = s.object(
  {
    apiVersion: apiVersionName({ description: 'Its apiVersion, as v1 or apps/v1.' }),
    kind: kindName({ description: 'Its kind, as Deployment.' }),
    name: anyName({ description: 'Its name.' }),
  },
  { description: 'One object.' },
);

export const labelSelector = s.object(
  {
    matchLabels: s.optional(
      s.record(s.string({ maxLength: 63, description: 'The value of the label.' }), {
        maxProperties: 100,
        description: 'Labels and their values.',
      }),
    ),
    matchExpressions: s.optional(
      s.list(
        s.object({
          key: s.string({ maxLength: 317, description: 'The label.' }),
          operator: s.oneOf(['In', 'NotIn', 'Exists', 'DoesNotExist'], {
            description: 'What has to hold of the label.',
          }),
          values: s.optional(
            s.list(s.string({ maxLength: 63 }), { maxItems: 100, description: 'For In and NotIn.' }),
          ),
        }),
        { maxItems: 100, description: 'Conditions, all of which have to hold.' },
      ),
    ),
  },
  { description: 'Which objects, by their labels. Default: all.' },
);

const kind = s.object({
  apiVersion: apiVersionName({ description: 'As v1 or apps/v1.' }),
  kind: kindName({ description: 'As Deployment.' }),
});

export const selectionFields = {
  kinds: s.list(kind, {
    minItems: 1,
    maxItems: 1000,
    description: 'The kinds that are captured. Namespace is that of the request.',
  }),
  labelSelector: s.optional(labelSelector),
};

const selection = s.object(selectionFields, {
  description:
    'Addition: in place of targets, all objects of these kinds with these labels (default: any) that no controller creates.',
  validations: [{ rule: 'self == oldSelf', message: 'selection is immutable: make a new request' }],
});

/** How a capture is made, whatever it captures. */
export const captureManner = {
  secrets: s.optional(
    s.oneOf(SECRET_POLICIES, {
      description: 'Addition: how Secrets are captured. Default: the setting CAPTURE_SECRETS.',
    }),
  ),
  deadlineSeconds: s.optional(
    s.integer({
      minimum: 1,
      description:
        'Addition: seconds since creation, after which a request that is not complete fails. Default: none.',
    }),
  ),
};

const requestSpec = s.object(
  {
    targets: s.optional(
      s.list(target, {
        minItems: 1,
        maxItems: 20_000,
        description:
          'The objects of the namespace that are captured, all as they are at one time. The only one without a namespace may be the Namespace itself. Immutable; exactly one of targets and selection is required.',
        validations: [{ rule: 'self == oldSelf', message: 'targets are immutable: make a new request' }],
      }),
    ),
    selection: s.optional(selection),
    ...captureManner,
  },
  {
    description: 'What is captured, once.',
    validations: [
      {
        rule: 'has(self.targets) != has(self.selection)',
        message: 'targets or selection is required, and not both',
      },
      {
        rule: 'has(self.targets) == has(oldSelf.targets)',
        message: 'targets and selection are immutable: make a new request',
      },
    ],
  },
);

const requestStatus = s.object(
  {
    checkpointName: s.optional(
      described.text('The ManifestCheckpoint that has, or is to have, what is captured.'),
    ),
    completionTimestamp: s.optional(
      described.time('When the request ended, done or failed. From then on it never changes.'),
    ),
    conditions: s.optional(
      s.conditions({
        description:
          'Ready: True (Completed), False (Processing) while it is carried out, False (Failed) for good. AuthorChecked: whether the rights of its author were checked.',
      }),
    ),
  },
  { description: 'How far the request is. The operator is its only writer.' },
);

const request = s.object(
  { spec: requestSpec, status: s.optional(requestStatus) },
  { description: 'Captures the manifests of objects of its namespace, once, as they are now.' },
);

/** Captures the manifests of objects of its namespace, once, as they are now. */
export const MANIFEST_CAPTURE_REQUESTS = customResource({
  group: MANIFEST_GROUP,
  version: VERSION,
  kind: 'ManifestCaptureRequest',
  plural: 'manifestcapturerequests',
  shortNames: ['mcr'],
  categories: ['kubewright'],
  scope: 'Namespaced',
  schema: request,
  columns: [
    COLUMNS.ready,
    COLUMNS.reason,
    { name: 'Checkpoint', type: 'string', jsonPath: '.status.checkpointName' },
    COLUMNS.message,
    COLUMNS.age,
  ],
});

export type ManifestCaptureRequest = Stored<CustomObject<Infer<typeof request>>>;
export type ManifestCaptureStatus = Infer<typeof requestStatus>;
export type CaptureTarget = Infer<typeof target>;
export type CapturedKind = Infer<typeof kind>;
export type CaptureSelection = Infer<typeof selection>;
export type CaptureLabels = Infer<typeof labelSelector>;
