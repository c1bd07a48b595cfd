import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';
import { MANIFEST_GROUP, VERSION } from './annotations.ts';
import { COLUMNS } from './columns.ts';

const name = s.string({ minLength: 1, maxLength: 253 });

export const SECRET_POLICIES = ['Include', 'Redact', 'Exclude', 'Encrypt'] as const;
export type SecretPolicy = (typeof SECRET_POLICIES)[number];

const target = s.object({ apiVersion: name, kind: s.string({ minLength: 1, maxLength: 63 }), name });

const requestSpec = s.object({
  targets: s.list(target, {
    minItems: 1,
    maxItems: 20_000,
    validations: [{ rule: 'self == oldSelf', message: 'targets are immutable: make a new request' }],
  }),
  secrets: s.optional(
    s.oneOf(SECRET_POLICIES, {
      description: 'Addition: how Secrets are captured. Default: the setting CAPTURE_SECRETS.',
    }),
  ),
});

const requestStatus = s.object({
  checkpointName: s.optional(s.string()),
  completionTimestamp: s.optional(s.time()),
  conditions: s.optional(s.conditions()),
});

const request = s.object({ spec: requestSpec, status: s.optional(requestStatus) });

/** Captures the manifests of objects of its namespace, once, as they are now. */
export const MANIFEST_CAPTURE_REQUESTS = customResource({
  group: MANIFEST_GROUP,
  version: VERSION,
  kind: 'ManifestCaptureRequest',
  plural: 'manifestcapturerequests',
  shortNames: ['mcr'],
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
