import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';
import { MANIFEST_GROUP, VERSION } from './groups.ts';

const name = s.string({ minLength: 1, maxLength: 253 });
const count = s.integer({ minimum: 0 });
/** Lower-case hex of a SHA-256. */
const checksum = s.string({ maxLength: 64 });
const AGE = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' } as const;
const READY = [
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
] as const;

export const SECRET_POLICIES = ['Include', 'Redact', 'Exclude'] as const;
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
      description: 'Addition: what becomes of Secrets. Absent: what CAPTURE_SECRETS says.',
    }),
  ),
});

const requestStatus = s.object({
  checkpointName: s.optional(s.string()),
  completionTimestamp: s.optional(s.time()),
  conditions: s.optional(s.conditions()),
});

const request = s.object({ spec: requestSpec, status: s.optional(requestStatus) });

/** Asks, once, for the manifests of objects of its namespace as they are now. */
export const MANIFEST_CAPTURE_REQUESTS = customResource({
  group: MANIFEST_GROUP,
  version: VERSION,
  kind: 'ManifestCaptureRequest',
  plural: 'manifestcapturerequests',
  shortNames: ['mcr'],
  scope: 'Namespaced',
  schema: request,
  columns: [
    ...READY,
    { name: 'Checkpoint', type: 'string', jsonPath: '.status.checkpointName' },
    {
      name: 'Message',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].message',
      priority: 1,
    },
    AGE,
  ],
});

const plan = s.object(
  {
    totalObjects: count,
    chunks: s.list(s.object({ objectsCount: count, plainChecksum: checksum })),
  },
  { description: 'Addition: what the chunks will hold, fixed before the first is written.' },
);

const checkpointSpec = s.object(
  {
    sourceNamespace: s.optional(s.string()),
    manifestCaptureRequestRef: s.optional(
      s.object({ namespace: s.string(), name: s.string(), uid: s.string() }),
    ),
    plan: s.optional(plan),
  },
  { validations: [{ rule: 'self == oldSelf', message: 'spec is immutable' }] },
);

const chunkStatus = s.object({
  name: s.string(),
  index: count,
  objectsCount: count,
  sizeBytes: count,
  checksum: s.string(),
});

const checkpointStatus = s.object({
  chunks: s.optional(s.list(chunkStatus)),
  totalObjects: s.optional(count),
  totalSizeBytes: s.optional(count),
  conditions: s.optional(s.conditions()),
});

const checkpoint = s.object({ spec: s.optional(checkpointSpec), status: s.optional(checkpointStatus) });

/** The index of what was captured. It is whole if and only if it is Ready. */
export const MANIFEST_CHECKPOINTS = customResource({
  group: MANIFEST_GROUP,
  version: VERSION,
  kind: 'ManifestCheckpoint',
  plural: 'manifestcheckpoints',
  shortNames: ['mcp'],
  scope: 'Cluster',
  schema: checkpoint,
  columns: [
    ...READY,
    { name: 'Source', type: 'string', jsonPath: '.spec.sourceNamespace' },
    { name: 'Objects', type: 'integer', jsonPath: '.status.totalObjects' },
    { name: 'Bytes', type: 'integer', jsonPath: '.status.totalSizeBytes' },
    AGE,
  ],
});

const chunk = s.object({
  spec: s.object(
    {
      checkpointName: s.string(),
      index: count,
      data: s.string({ maxLength: 1_048_576, description: 'Base64 of a gzip of a JSON array of objects.' }),
      objectsCount: count,
      checksum: s.optional(s.string({ maxLength: 128, description: 'Hex SHA-256 of the gzip.' })),
      plainChecksum: s.optional(
        s.string({ maxLength: 128, description: 'Addition: hex SHA-256 of the JSON.' }),
      ),
    },
    { validations: [{ rule: 'self == oldSelf', message: 'spec is immutable' }] },
  ),
});

export const CONTENT_CHUNKS = customResource({
  group: MANIFEST_GROUP,
  version: VERSION,
  kind: 'ManifestCheckpointContentChunk',
  plural: 'manifestcheckpointcontentchunks',
  shortNames: ['mcpchunk'],
  scope: 'Cluster',
  schema: chunk,
  columns: [
    { name: 'Checkpoint', type: 'string', jsonPath: '.spec.checkpointName' },
    { name: 'Index', type: 'integer', jsonPath: '.spec.index' },
    { name: 'Objects', type: 'integer', jsonPath: '.spec.objectsCount' },
    AGE,
  ],
});

export type ManifestCaptureRequest = Stored<CustomObject<Infer<typeof request>>>;
export type ManifestCaptureStatus = Infer<typeof requestStatus>;
export type CaptureTarget = Infer<typeof target>;
export type ManifestCheckpoint = Stored<CustomObject<Infer<typeof checkpoint>, 'Cluster'>>;
export type CheckpointStatus = Infer<typeof checkpointStatus>;
export type ChunkStatus = Infer<typeof chunkStatus>;
export type CheckpointPlan = Infer<typeof plan>;
export type ContentChunk = Stored<CustomObject<Infer<typeof chunk>, 'Cluster'>>;
