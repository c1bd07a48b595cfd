import { s } from '@kubewright/kube';

// The fields of a ResourceSlice are those of the original API; additions are marked.

export const manifest = s.object({
  manifest: s.optional(s.string({ description: 'One object, as JSON.' })),
  deleted: s.optional(s.boolean({ description: 'A tombstone: the object must not exist.' })),
});

export const ownershipReport = s.object(
  {
    state: s.oneOf(['Moved', 'Blocked', 'Observed', 'Left', 'Contested', 'RolledBack', 'Released'], {
      description: 'What became of the shared fields.',
    }),
    reason: s.optional(s.string({ description: 'Why, in one word.' })),
    message: s.string({ description: 'What happened, and to what, in words.' }),
    managers: s.optional(s.list(s.string(), { description: 'The other owners, at most 20.' })),
    paths: s.optional(s.list(s.string(), { description: 'The fields, at most 20.' })),
    times: s.optional(
      s.integer({ description: 'How often in a row exactly this was moved, if more than once.' }),
    ),
    count: s.optional(s.integer({ description: 'How many fields were moved.' })),
    resourceVersion: s.optional(s.string({ description: 'Of the object, before ownership was moved.' })),
    time: s.optional(s.time({ description: 'When ownership was moved, or given back.' })),
    plan: s.optional(
      s.string({ description: 'A hash of what was given back, which is not moved again at once.' }),
    ),
  },
  {
    description:
      'Addition: the result for shared fields. Moved: ownership was moved to us. Blocked: it may not be moved, and nothing is written. Observed: what would be moved. Left: other managers, or a webhook that puts them back (reason Restored), keep fields that the manifest no longer has. Contested: another applier claims again what was moved, each time; it is no longer moved; or another Composition wants other values (reason OtherComposition): those of the older one count. Released: the object was to go, and stays because others have it. RolledBack: it was moved, the server rejected the apply all the same, and it was given back; after an hour (five minutes after a denial by admission, reason Denied), or when the manifest or the owners change, it is tried again.',
  },
);

export const resourceState = s.object({
  reconciled: s.optional(s.boolean({ description: 'Whether the object is as the manifest says.' })),
  ready: s.optional(s.time({ description: 'When the readiness checks of the manifest first passed.' })),
  deleted: s.optional(
    s.boolean({ description: 'The object is gone, or others have it: there is nothing left to delete.' }),
  ),
  reconciliationError: s.optional(
    s.string({ description: 'Why the object is not as the manifest says. Absent: nothing failed.' }),
  ),
  ownership: s.optional(ownershipReport),
  removing: s.optional(
    s.string({
      description:
        'Addition: the list items and map keys that an apply will remove, as FieldsV1 in JSON. If a webhook puts them back they have no owner, and only this field records that they must go.',
    }),
  ),
});

/** Which object it is. */
const identity = {
  apiVersion: s.string({ description: 'The group and version of the manifest.' }),
  kind: s.string({ description: 'The kind of the object.' }),
  namespace: s.optional(s.string({ description: 'Its namespace. Absent: its kind has none.' })),
  name: s.string({ description: 'Its name.' }),
};

export const inventoryEntry = s.object({
  ...identity,
  deletionStrategy: s.optional(
    s.string({
      description: 'The annotation eno.azure.io/deletion-strategy of the manifest: orphan or foreground.',
    }),
  ),
  deleteShared: s.optional(
    s.boolean({ description: 'Addition: it is deleted even if another tool has it.' }),
  ),
  applied: s.optional(
    s.string({
      description:
        'Addition: the fields that the last apply owned, as FieldsV1 in JSON. A field that the manifest drops is removed even if its ownership was lost meanwhile.',
    }),
  ),
  error: s.optional(
    s.string({ description: 'Addition: why it is still there, although no manifest mentions it any more.' }),
  ),
});

export const releasedObject = s.object({
  ...identity,
  message: s.string({ description: 'Who has it.' }),
});

const sliceSpec = s.object(
  {
    synthesisUUID: s.optional(
      s.string({ description: 'The uuid of the synthesis of the Composition that the slice is part of.' }),
    ),
    resources: s.optional(s.list(manifest, { description: 'The manifests of the objects.' })),
  },
  { description: 'The manifests of one part.' },
);

const sliceStatus = s.object(
  {
    resources: s.optional(s.list(resourceState, { description: 'One per manifest, in the same order.' })),
    observedGeneration: s.optional(
      s.integer({
        format: 'int64',
        description: 'Addition: the generation of which resources is the state.',
      }),
    ),
    inventory: s.optional(
      s.list(inventoryEntry, {
        description:
          'Addition: the objects that were applied, recorded before that. One that no manifest mentions any more is deleted.',
      }),
    ),
    released: s.optional(
      s.list(releasedObject, {
        description:
          'Addition: the last objects (at most 20) that no manifest mentions any more and that stay, because others have them.',
      }),
    ),
  },
  { description: 'What became of the manifests.' },
);

export const slice = s.object(
  { spec: s.optional(sliceSpec), status: s.optional(sliceStatus) },
  { description: 'A part of the objects of a Composition, and what became of them.' },
);
