import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';
import { anyName, apiVersionName, kindName } from '../../kit/name-schemas.ts';
import { MANIFEST_GROUP, VERSION } from './annotations.ts';
import { COLUMNS } from './columns.ts';

const count = s.integer({ minimum: 0 });
/** Lower-case hex of a SHA-256. */
const checksum = s.string({ maxLength: 64 });

const plan = s.object(
  {
    totalObjects: count,
    chunks: s.list(s.object({ objectsCount: count, plainChecksum: checksum })),
  },
  { description: 'Addition: the content of each chunk, fixed before the first chunk is written.' },
);

const leftOut = s.object({
  apiVersion: apiVersionName(),
  kind: kindName(),
  reason: s.string({ maxLength: 1024 }),
  count,
  names: s.list(anyName(), { maxItems: 5, description: 'The first ones.' }),
});

const checkpointSpec = s.object(
  {
    sourceNamespace: s.optional(s.string()),
    manifestCaptureRequestRef: s.optional(
      s.object({ namespace: s.string(), name: s.string(), uid: s.string() }),
    ),
    plan: s.optional(plan),
    leftOut: s.optional(
      s.list(leftOut, {
        maxItems: 1000,
        description: 'Addition: the objects of the selected kinds that were not captured, by reason.',
      }),
    ),
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

/** The index of a capture. The capture is complete if and only if this is Ready. */
export const MANIFEST_CHECKPOINTS = customResource({
  group: MANIFEST_GROUP,
  version: VERSION,
  kind: 'ManifestCheckpoint',
  plural: 'manifestcheckpoints',
  shortNames: ['mcp'],
  scope: 'Cluster',
  schema: checkpoint,
  columns: [
    COLUMNS.ready,
    COLUMNS.reason,
    { name: 'Source', type: 'string', jsonPath: '.spec.sourceNamespace' },
    { name: 'Objects', type: 'integer', jsonPath: '.status.totalObjects' },
    { name: 'Bytes', type: 'integer', jsonPath: '.status.totalSizeBytes' },
    COLUMNS.age,
  ],
});

export type ManifestCheckpoint = Stored<CustomObject<Infer<typeof checkpoint>, 'Cluster'>>;
export type CheckpointStatus = Infer<typeof checkpointStatus>;
export type ChunkStatus = Infer<typeof chunkStatus>;
export type CheckpointPlan = Infer<typeof plan>;
export type LeftOutObjects = Infer<typeof leftOut>;
