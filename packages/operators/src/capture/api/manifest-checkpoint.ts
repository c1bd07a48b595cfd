import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';
import { described } from '../../kit/described.ts';
import { anyName, apiVersionName, kindName } from '../../kit/name-schemas.ts';
import { MANIFEST_GROUP, VERSION } from './annotations.ts';
import { COLUMNS } from './columns.ts';

const { count, text } = described;
/** Lower-case hex of a SHA-256. */
const checksum = (description: string) => s.string({ maxLength: 64, description });

const plan = s.object(
  {
    totalObjects: count('How many objects were captured.'),
    chunks: s.list(
      s.object(
        {
          objectsCount: count('How many objects it has.'),
          plainChecksum: checksum('The SHA-256 of its JSON, in hex.'),
        },
        { description: 'One chunk.' },
      ),
      { description: 'The chunks, in their order.' },
    ),
  },
  { description: 'Addition: the content of each chunk, fixed before the first chunk is written.' },
);

const leftOut = s.object(
  {
    apiVersion: apiVersionName({ description: 'The apiVersion of the objects.' }),
    kind: kindName({ description: 'Their kind.' }),
    reason: s.string({ maxLength: 1024, description: 'Why they were left out, in words.' }),
    count: count('How many they are.'),
    names: s.list(anyName({ description: 'A name.' }), { maxItems: 5, description: 'The first ones.' }),
  },
  { description: 'Some objects.' },
);

const checkpointSpec = s.object(
  {
    sourceNamespace: s.optional(text('The namespace that the objects were captured in.')),
    manifestCaptureRequestRef: s.optional(
      s.object(
        {
          namespace: text('Its namespace.'),
          name: text('Its name.'),
          uid: text('Its UID.'),
        },
        { description: 'The request that made it. Absent: it was imported.' },
      ),
    ),
    plan: s.optional(plan),
    leftOut: s.optional(
      s.list(leftOut, {
        maxItems: 1000,
        description: 'Addition: the objects of the selected kinds that were not captured, by reason.',
      }),
    ),
  },
  {
    description: 'What was captured, fixed before it was written. Immutable.',
    validations: [{ rule: 'self == oldSelf', message: 'spec is immutable' }],
  },
);

const chunkStatus = s.object(
  {
    name: text('The ManifestCheckpointContentChunk.'),
    index: count('Its place, from 0.'),
    objectsCount: count('How many objects it has.'),
    sizeBytes: count('How many bytes its gzip has.'),
    checksum: text('The SHA-256 of its gzip, in hex.'),
  },
  { description: 'One chunk.' },
);

const checkpointStatus = s.object(
  {
    chunks: s.optional(
      s.list(chunkStatus, { description: 'The chunks that have the objects, in their order.' }),
    ),
    totalObjects: s.optional(count('How many objects it has.')),
    totalSizeBytes: s.optional(count('How many bytes all chunks have, as gzip.')),
    conditions: s.optional(
      s.conditions({
        description:
          'Ready: True (Completed) if and only if the capture is complete; False (Processing) until then, False (Failed) for good.',
      }),
    ),
  },
  { description: 'What is there of it. The operator is its only writer.' },
);

const checkpoint = s.object(
  { spec: s.optional(checkpointSpec), status: s.optional(checkpointStatus) },
  {
    description: 'The index of a capture of manifests. It is deleted with its request, or its ObjectKeeper.',
  },
);

/** The index of a capture. The capture is complete if and only if this is Ready. */
export const MANIFEST_CHECKPOINTS = customResource({
  group: MANIFEST_GROUP,
  version: VERSION,
  kind: 'ManifestCheckpoint',
  plural: 'manifestcheckpoints',
  shortNames: ['mcp'],
  categories: ['kubewright'],
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
