import { s } from '@kubewright/kube';
import { anyName, dnsLabel, dnsName } from '../kit/name-schemas.ts';

// The fields of a Composition are those of the original API; additions are marked.

const generation = (description: string) => s.optional(s.integer({ format: 'int64', description }));
const text = (description: string) => s.optional(s.string({ description }));
const since = (description: string) => s.optional(s.time({ description }));

const inputRevisions = s.list(
  s.object({
    key: text('The key of the input in the refs of the Synthesizer.'),
    resourceVersion: text('Of the object that was read, where its kind has no generation.'),
    revision: s.optional(s.integer({ description: 'The generation of the object that was read.' })),
    synthesizerGeneration: generation(
      'Of the original: the generation of the Synthesizer that the input asks for.',
    ),
    compositionGeneration: generation(
      'Of the original: the generation of the Composition that the input asks for.',
    ),
    ignoreSideEffects: s.optional(
      s.boolean({ description: 'Of the original: a change of this input alone synthesizes nothing.' }),
    ),
  }),
  { description: 'Which version of each input was read.' },
);

const results = s.list(
  s.object({
    message: text('What the synthesizer says.'),
    severity: text('error, warning or info. An error keeps the manifests from being applied.'),
    tags: s.optional(s.record(s.string(), { description: 'What else the synthesizer says, by name.' })),
  }),
  { description: 'What the synthesizer says beside the manifests.' },
);

const sliceRefs = s.list(s.object({ name: text('The name of a ResourceSlice of the namespace.') }), {
  description: 'The slices with the manifests. They are applied together.',
});

const synthesisFields = {
  uuid: text('Identifies the synthesis; its slices have it as spec.synthesisUUID.'),
  observedCompositionGeneration: generation('The generation of the Composition that was synthesized.'),
  observedSynthesizerGeneration: generation('The generation of the Synthesizer that synthesized it.'),
  initialized: since('When the synthesis began.'),
  synthesized: since('When its manifests were there.'),
  reconciled: since('Since when all of its objects are as the manifests say.'),
  ready: since('Since when all of its objects are ready.'),
  canceled: since('Of the original: when the synthesis was given up.'),
  attempts: s.optional(s.integer({ description: 'How many pods were started for it.' })),
  resourceSlices: s.optional(sliceRefs),
  results: s.optional(results),
  inputRevisions: s.optional(inputRevisions),
  deferred: s.optional(
    s.boolean({ description: 'Of the original: it began because the Synthesizer or an input changed.' }),
  ),
};

/** The manifests of one moment. */
export const synthesis = s.object(synthesisFields);
const described = (description: string) => s.optional(s.object(synthesisFields, { description }));

const labelSelector = s.object(
  {
    matchLabels: s.optional(s.record(s.string(), { description: 'Labels that it has, with these values.' })),
    matchExpressions: s.optional(
      s.list(
        s.object({
          key: s.string({ description: 'The name of a label.' }),
          operator: s.string({ description: 'In, NotIn, Exists or DoesNotExist.' }),
          values: s.optional(s.list(s.string(), { description: 'The values of In and NotIn.' })),
        }),
        { description: 'What else has to hold of its labels. All count.' },
      ),
    ),
  },
  {
    atomic: true,
    description: 'Of the original: the Synthesizer with these labels. This operator goes by the name alone.',
  },
);

const synthesizerRef = s.object(
  {
    name: s.optional(dnsName({ description: 'The name of a Synthesizer.' })),
    labelSelector: s.optional(labelSelector),
  },
  {
    description:
      'The Synthesizer that makes the manifests. Absent: the slices that the Composition owns are its current synthesis (an addition).',
    validations: [
      {
        rule: 'has(self.name) || has(self.labelSelector)',
        message: 'at least one of name or labelSelector must be set',
      },
    ],
  },
);

const binding = s.object({
  key: s.string({ description: 'The key of an input in the refs of the Synthesizer.' }),
  resource: s.object(
    {
      name: anyName({ description: 'The name of the object.' }),
      namespace: s.optional(
        dnsLabel({ description: 'The namespace of the Composition, which is also the default.' }),
      ),
    },
    { description: 'The object that is the input.' },
  ),
});

const variable = s.object({
  name: s.string({ maxLength: 100, description: 'The name of the environment variable.' }),
  value: text('Its value.'),
});

const dependency = s.object({
  name: s.optional(dnsName({ description: 'The name of a Composition.' })),
  namespace: s.optional(dnsLabel({ description: 'Its namespace. Default: that of this Composition.' })),
});

const spec = s.object(
  {
    synthesizer: s.optional(synthesizerRef),
    bindings: s.optional(
      s.list(binding, { description: 'Which objects are the inputs that the Synthesizer names by a key.' }),
    ),
    synthesisEnv: s.optional(
      s.list(variable, {
        maxItems: 500,
        description: 'Environment variables of the pods that synthesize, beside the inputs.',
      }),
    ),
    dependsOn: s.optional(
      s.list(dependency, {
        maxItems: 50,
        description:
          'Nothing is applied until these are ready; when all are deleted, this one goes before those.',
      }),
    ),
  },
  { description: 'What makes the manifests, and from what.' },
);

const simplified = s.object(
  {
    status: text(
      'PendingSynthesis, Synthesizing, Reconciling, NotReady, Ready, Deleting, WaitingOnDependencies or WaitingOnDependents.',
    ),
    error: text('One of the errors of its objects, or why there are no manifests.'),
  },
  { description: 'The state in a word, for kubectl get.' },
);

const blocker = s.object({
  name: text('The name of a Composition.'),
  namespace: text('Its namespace.'),
  reason: text('What is awaited of it.'),
});

const dependencyStatus = s.object(
  {
    blocked: s.optional(s.boolean({ description: 'Whether it waits for others.' })),
    reason: text('WaitingOnDependencies, or WaitingOnDependents while it is being deleted.'),
    blockedBy: s.optional(s.list(blocker, { description: 'The Compositions that it waits for.' })),
  },
  { description: 'What it waits for because of dependsOn. Absent: nothing.' },
);

const status = s.object(
  {
    simplified: s.optional(simplified),
    inFlightSynthesis: described('The synthesis that is being made. Absent: none is.'),
    currentSynthesis: described('The synthesis whose manifests are applied.'),
    previousSynthesis: described('The one before that: what only its manifests have is deleted.'),
    conditions: s.optional(
      s.conditions({
        description:
          'Addition. Each names the objects, and is absent while there was no reason for it: OwnershipMigrated, OwnershipBlocked, OwnershipContested, ObjectsReleased, ObjectsFailed.',
      }),
    ),
    inputRevisions: s.optional(inputRevisions),
    dependencyStatus: s.optional(dependencyStatus),
  },
  { description: 'What became of the objects.' },
);

export const composition = s.object(
  { spec: s.optional(spec), status: s.optional(status) },
  { description: 'A set of objects that is managed together: applied, pruned, and deleted as one.' },
);
